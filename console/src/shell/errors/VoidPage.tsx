/** An empty page that an embedding portal can load into an idle frame. */
export default function VoidPage() {
  return null
}
