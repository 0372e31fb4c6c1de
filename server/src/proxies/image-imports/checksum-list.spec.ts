import { expect, it } from 'vitest'
import { checksumIn } from './checksum-list'

const [short, long] = ['a1'.repeat(32), 'B2'.repeat(64)]

it.each([
  ['coreutils', `${'00'.repeat(32)}  other.img\n${short}  disk.img\n`, `sha256:${short}`],
  ['binary mode', `${long} *disk.img`, `sha512:${long.toLowerCase()}`],
  ['BSD format with comments', `# disk.img: 5 bytes\nSHA256 (disk.img) = ${short}\n`, `sha256:${short}`],
  ['a path', `${short}  ./images/disk.img`, `sha256:${short}`],
  ['only a digest', `${long}\n`, `sha512:${long.toLowerCase()}`],
])('reads a digest from a checksum list: %s', (_, list, wanted) => {
  expect(checksumIn(list, 'disk.img')).toBe(wanted)
})

it.each([
  ['only another file', `${short}  other.img`],
  ['a name with the same ending', `${short}  not-disk.img`],
  ['two digests without names', `${short}\n${short}`],
  ['an error page', '<html>404</html>'],
  ['nothing', ''],
])('refuses a list with %s', (_, list) => {
  expect(() => checksumIn(list, 'disk.img')).toThrow('The checksum list has no entry for disk.img')
})
