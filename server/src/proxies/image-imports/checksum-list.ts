import { problem } from '@mainstay/contract/core/problems'

const algorithms: Readonly<Record<number, string>> = { 64: 'sha256', 128: 'sha512' }
const hex = '([0-9a-f]{128}|[0-9a-f]{64})'
/** Matches `HEX  file` or `HEX *file`, as written by coreutils. */
const plain = new RegExp(`^${hex} [ *](.+)$`, 'i')
/** Matches `SHA256 (file) = HEX`, as written by BSD tools. */
const bsd = new RegExp(`^SHA(?:256|512) \\((.+)\\) = ${hex}$`, 'i')
const alone = new RegExp(`^${hex}$`, 'i')

/**
 * Returns the digest of a file from a checksum list, as `sha256:` or `sha512:` followed by hex digits. A list that
 * consists of a single digest without a name applies to any file. Throws `import_failed` if the file is not listed, so
 * that no image is imported without verification.
 */
export function checksumIn(list: string, file: string): string {
  const lines = list.split('\n').map((line) => line.trim())
  for (const line of lines) {
    const [, digest, name] = plain.exec(line) ?? []
    if (digest !== undefined && name?.replace(/^.*\//, '') === file) return withAlgorithm(digest)
    const [, named, its] = bsd.exec(line) ?? []
    if (its !== undefined && named === file) return withAlgorithm(its)
  }
  const [only, ...more] = lines.filter((line) => line !== '')
  if (only !== undefined && more.length === 0 && alone.test(only)) return withAlgorithm(only)
  throw problem('compute.checksum_missing', { file })
}

const withAlgorithm = (digest: string) => `${algorithms[digest.length]}:${digest.toLowerCase()}`
