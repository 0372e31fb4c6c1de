/** Copies to the clipboard; false when the browser refuses (no permission, or a page without TLS beyond loopback). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
