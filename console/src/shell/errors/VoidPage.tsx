/** An empty page, where an embedding portal parks its frame. */
export default function VoidPage() {
  return null
}
