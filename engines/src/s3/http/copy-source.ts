/** `bucket/key` of the path in `x-amz-copy-source`, which is percent-encoded; null for what names no object. */
export function decodedSource(path: string): string | null {
  try {
    const plain = decodeURIComponent(path.replace(/^\//, ''))
    return plain.includes('\0') ? null : plain
  } catch {
    return null
  }
}
