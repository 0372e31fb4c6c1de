/** Decodes the path in `x-amz-copy-source` to `bucket/key`; null if it is malformed. */
export function decodedSource(path: string): string | null {
  try {
    const plain = decodeURIComponent(path.replace(/^\//, ''))
    return plain.includes('\0') ? null : plain
  } catch {
    return null
  }
}
