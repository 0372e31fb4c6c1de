import { expect, it } from 'vitest'
import { checksumIn } from './checksum-list'

const [short, long] = ['a1'.repeat(32), 'B2'.repeat(64)]

it.each([
  ['coreutils', `${'00'.repeat(32)}  other.img\n${short}  disk.img\n`, `sha256:${short}`],
  ['binary mode', `${long} *disk.img`, `sha512:${long.toLowerCase()}`],
  ['BSD, with remarks', `# disk.img: 5 bytes\nSHA256 (disk.img) = ${short}\n`, `sha256:${short}`],
  ['a path', `${short}  ./images/disk.img`, `sha256:${short}`],
  ['a digest alone', `${long}\n`, `sha512:${long.toLowerCase()}`],
])('a digest is found in a list as %s writes it', (_, list, wanted) => {
  expect(checksumIn(list, 'disk.img')).toBe(wanted)
})

it.each([
  ['another file only', `${short}  other.img`],
  ['a name that only ends alike', `${short}  not-disk.img`],
  ['two digests without names', `${short}\n${short}`],
  ['a page that says sorry', '<html>404</html>'],
  ['nothing', ''],
])('a list with %s gives none', (_, list) => {
  expect(() => checksumIn(list, 'disk.img')).toThrow('The list of checksums does not contain disk.img')
})
