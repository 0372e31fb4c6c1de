import {
  READ_BYTES,
  ReaderFault,
  type FileReaders,
  type Found,
  type FoundFile,
  type FoundFileSystem,
} from '../file-reader'
import type { Delays } from './options'

/** The files of every simulated disk, by path. Folders have no text. */
const texts: Readonly<Record<string, string | null>> = {
  '/etc': null,
  '/etc/hostname': 'web-1\n',
  '/etc/hosts': '127.0.0.1 localhost\n127.0.1.1 web-1\n',
  '/srv': null,
  '/srv/reports': null,
  '/srv/reports/2026-10.csv': 'day;orders\n1;412\n2;398\n',
  '/srv/reports/2026-11.csv': 'day;orders\n1;377\n',
  '/srv/two\nlines.txt': 'The name of this file has two lines.\n',
}
const links: Readonly<Record<string, string>> = { '/srv/latest.csv': 'reports/2026-11.csv' }
const MODIFIED = Date.parse('2026-11-01T08:00:00Z') / 1000

const fileSystems: readonly FoundFileSystem[] = [
  { id: 'part1', label: 'root', type: 'ext4', sizeBytes: 1024 ** 3, usedBytes: 96 * 1024 ** 2, state: 'readable' },
  { id: 'part2', label: '', type: 'crypto_LUKS', sizeBytes: 512 * 1024 ** 2, usedBytes: null, state: 'encrypted' },
].map((one) => ({ ...one, label: Buffer.from(one.label) }) as FoundFileSystem)

function fileAt(path: string, name: string): FoundFile {
  const [text, target] = [texts[path], links[path]]
  const size = Buffer.byteLength(text ?? target ?? '')
  return {
    ...{ name: Buffer.from(name), sizeBytes: size, modified: MODIFIED, owner: path.startsWith('/srv/') ? 1000 : 0 },
    kind: target === undefined ? (text === null || path === '/' ? 'folder' : 'file') : 'link',
    linkTarget: Buffer.from(target ?? ''),
  }
}

/** Paths of everything below a path, and the path itself. Throws a `missing` fault if there is no such file. */
function below(fileSystem: string, bytes: Buffer): { path: string; paths: string[] } {
  const path = bytes.toString('utf8').replace(/\/$/, '')
  const isThere = path === '' || texts[path] !== undefined
  if (fileSystem !== 'part1' || !isThere) throw new ReaderFault('missing')
  const all = [...Object.keys(texts), ...Object.keys(links)].filter((one) => one.startsWith(`${path}/`))
  return { path, paths: all }
}

const found = (files: FoundFile[]): Found => ({ files, isCut: false })

/** Readers whose disks all have the same few files, without a guest. */
export const openReaders = (delays: Delays): FileReaders => ({
  async open({ signal }) {
    await new Promise((done) => setTimeout(done, delays.quick))
    signal.throwIfAborted()
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => (end = resolve))
    return {
      fileSystems,
      stat: async (fileSystem, bytes) => found([fileAt(below(fileSystem, bytes).path || '/', '')]),
      async list(fileSystem, bytes) {
        const { path, paths } = below(fileSystem, bytes)
        const names = paths.map((one) => one.slice(path.length + 1)).filter((name) => !name.includes('/'))
        return found(names.map((name) => fileAt(`${path}/${name}`, name)))
      },
      async tree(fileSystem, bytes) {
        const { path, paths } = below(fileSystem, bytes)
        return found([fileAt(path || '/', ''), ...paths.map((one) => fileAt(one, one.slice(path.length + 1)))])
      },
      async read(fileSystem, bytes, offset) {
        const text = texts[below(fileSystem, bytes).path]
        if (typeof text !== 'string') throw new ReaderFault('missing')
        return Buffer.from(text).subarray(offset, offset + READ_BYTES)
      },
      ended,
      close: async () => end(),
    }
  },
})
