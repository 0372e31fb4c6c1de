/**
 * Copies to the clipboard. Returns false if the browser refuses (no permission, or no TLS on a non-loopback address).
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
