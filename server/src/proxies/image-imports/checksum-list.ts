import { problem } from '@mainstay/contract/core/problems'

const algorithms: Readonly<Record<number, string>> = { 64: 'sha256', 128: 'sha512' }
const hex = '([0-9a-f]{128}|[0-9a-f]{64})'
/** `HEX  file`, `HEX *file` as coreutils write it. */
const plain = new RegExp(`^${hex} [ *](.+)$`, 'i')
/** `SHA256 (file) = HEX` as BSD does. */
const bsd = new RegExp(`^SHA(?:256|512) \\((.+)\\) = ${hex}$`, 'i')
const alone = new RegExp(`^${hex}$`, 'i')

/**
 * The digest of a file in a list of digests, as `sha256:` or `sha512:` and hex; one alone in the list is that of the file.
 * Throws `import_failed` where the file is not in it: an image that is said to be checked is not taken unchecked.
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
