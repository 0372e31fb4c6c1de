import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { GiB } from '@mainstay/contract/core/bytes'
import { auditLog } from '@mainstay/contract/monitoring/audit-log'
import { backupFiles, type FileSystem } from '@mainstay/contract/storage/backup-files'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { loadTexts, textsNow } from '../../../../i18n/use-t'
import { openPage, page, press, server, withPages } from '../../../../testing/pages'
import { pageTimeout } from '../../../../testing/page-timeout'
import { pressAndLoad } from '../../../../testing/press-and-load'
import { comparedStatus, firstReadable } from './file-words'

const long = { timeout: 120_000 }
const as = 'project-member'
const place = '/compute/recovery-points'
withPages()
// preloads lazy modules before the tests start
beforeAll(async () => {
  await Promise.all([
    loadTexts('storage'),
    import('../../../../patterns/ActionMenu'),
    import('./FilesPage'),
    import('../point/BackupPage'),
  ])
}, 180_000)
afterEach(() => void vi.restoreAllMocks())

/** Recovery points of a volume; the last one is returned first. */
async function points(count = 2) {
  const { id: volume_id } = await server.call(volumes.create, { as, body: { name: 'with-files', size: GiB } })
  const isAvailable = (view: () => Promise<{ status: string }>) =>
    vi.waitFor(async () => expect((await view()).status).toBe('available'), pageTimeout)
  await isAvailable(() => server.call(volumes.view, { as, params: { id: volume_id } }))
  const ids: string[] = []
  for (const name of ['first', 'second', 'third'].slice(0, count)) {
    const { id } = await server.call(volumeBackups.create, { as, body: { volume_id, name } })
    await isAvailable(() => server.call(volumeBackups.view, { as, params: { id } }))
    ids.unshift(id)
  }
  return ids as [string, string, ...string[]]
}
const names = async () => {
  const grid = await screen.findByRole('grid', {}, pageTimeout)
  return [...grid.querySelectorAll('[data-row]')].map((row) => row.getAttribute('aria-label'))
}
/** Addresses that the browser downloads. */
function downloads(): string[] {
  const addresses: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    addresses.push(this.href)
  })
  return addresses
}

it('opens the files of a recovery point, shows its folders, and downloads from them', long, async () => {
  const [id, earlier] = await points()
  const opened = await openPage(`${place}/${id}`, as)
  await pressAndLoad(await screen.findByRole('button', { name: 'Actions for second' }, pageTimeout))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Browse files' }, pageTimeout))
  await waitFor(() => expect(opened.address()).toBe(`${place}/${id}/files`), pageTimeout)
  expect(await screen.findByRole('heading', { name: 'Files of second' }, pageTimeout)).toBeTruthy()
  await waitFor(async () => expect(await names()).toEqual(['etc', 'srv']), pageTimeout)

  fireEvent.click(screen.getByRole('link', { name: 'srv' }))
  await waitFor(async () => expect((await names())[0]).toBe('reports'), pageTimeout)
  // folders first, links with their target
  expect(await names()).toEqual(['reports', 'latest.csv', expect.stringMatching(/^two\slines\.txt$/)])
  expect(screen.getByText('link to reports/2026-11.csv')).toBeTruthy()
  const path = within(screen.getByRole('navigation', { name: 'Path' }))
  expect(path.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['root', 'srv'])
  expect(path.getByText('srv').getAttribute('aria-current')).toBe('page')

  const search = screen.getByRole('searchbox', { name: 'Search this folder' })
  fireEvent.change(search, { target: { value: 'LAT' } })
  await waitFor(async () => expect(await names()).toEqual(['latest.csv']), pageTimeout)
  fireEvent.change(search, { target: { value: '' } })

  const addresses = downloads()
  await pressAndLoad(await screen.findByRole('button', { name: /^Actions for two/ }, pageTimeout))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Download' }, pageTimeout))
  const file = new URL(addresses[0]!)
  expect(file.pathname).toContain(`/volume_backups/${id}/files-session/download`)
  expect(file.searchParams.get('path')).toBe('/srv/two%0Alines.txt')
  expect(file.searchParams.get('project_id')).toBe(server.cast.people[as].project!.id)

  // several files and folders as one archive
  const boxes = () => screen.getAllByRole('checkbox')
  fireEvent.click(boxes()[1]!)
  fireEvent.click(boxes()[2]!)
  await press('Download as ZIP')
  await waitFor(() => expect(addresses[1]).toContain('/files-session/archive?archive='), pageTimeout)

  // the other recovery point has the same files
  await openPage(`${place}/${id}/files?system=part1&path=%2Fetc&compare=${earlier}`, as)
  expect(await screen.findAllByText('Same', { selector: '[data-row] *' }, pageTimeout)).toHaveLength(2)
  // a project can have only a few open at a time
  for (const one of [id, earlier]) await server.call(backupFiles.close, { as, params: { id: one } })
})

/** Opens the preview of a file. */
async function openPreview(file: string) {
  await pressAndLoad(await screen.findByRole('button', { name: `Actions for ${file}` }, pageTimeout))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Preview' }, pageTimeout))
  return within(await screen.findByRole('dialog', { name: file }, pageTimeout))
}

it(
  'previews files without running their content, and records that they were read',
  { ...long, tags: 'all' },
  async () => {
    const [id] = await points()
    const recorded = async () => {
      const { data } = await server.call(auditLog.list, { as: 'superuser', query: { limit: 100 } })
      return data.filter(({ activity }) => activity === 'volume_backup_files.download').length
    }
    const before = await recorded()
    await openPage(`${place}/${id}/files?path=%2Fetc`, as)
    let drawer = await openPreview('hostname')
    expect((await drawer.findByRole('region', { name: 'Preview of hostname' }, pageTimeout)).textContent).toBe(
      'web-1\n',
    )
    expect(await recorded()).toBe(before + 1)

    const addresses = { createObjectURL: vi.fn((_: Blob) => 'blob:picture'), revokeObjectURL: vi.fn() }
    // jsdom implements neither function
    Object.assign(URL, addresses)
    const real = globalThis.fetch
    const content = (bytes: BodyInit) =>
      vi
        .spyOn(globalThis, 'fetch')
        .mockImplementation(async (input, init) =>
          typeof input === 'string' && input.includes('/download') ? new Response(bytes) : real(input, init),
        )
    const markup = '<script>document.title = "run"</script><svg onload="document.title = 1"></svg>'
    content(markup)
    drawer = await openPreview('hosts')
    const shown = await drawer.findByRole('region', { name: 'Preview of hosts' }, pageTimeout)
    expect(shown.textContent).toBe(markup)
    expect(shown.querySelector('script, svg')).toBeNull()

    content(Uint8Array.from('GIF89a\x01\0\x01\0', (letter) => letter.charCodeAt(0)))
    drawer = await openPreview('hostname')
    const picture = await drawer.findByRole('img', { name: 'Preview of hostname' }, pageTimeout)
    expect(picture.getAttribute('src')).toBe('blob:picture')
    expect(addresses.createObjectURL.mock.lastCall?.[0].type).toBe('image/gif')
    fireEvent.error(picture)
    expect(await drawer.findByText('No preview. The image is damaged.', {}, pageTimeout)).toBeTruthy()

    content('x'.repeat(300 * 1024))
    drawer = await openPreview('hosts')
    expect(await drawer.findByText(/^The first 256\sKiB of/, {}, pageTimeout)).toBeTruthy()
    content(Uint8Array.of(0, 1, 2))
    drawer = await openPreview('hostname')
    expect(await drawer.findByText(/^No preview. The file is neither text nor/, {}, pageTimeout)).toBeTruthy()
    fireEvent.click(drawer.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull(), pageTimeout)
    for (const name of Object.keys(addresses)) Reflect.deleteProperty(URL, name)
    vi.restoreAllMocks()
    await server.call(backupFiles.close, { as, params: { id } })
  },
)

it(
  'closes the recovery point that it compared with before it opens another one',
  { ...long, tags: 'all' },
  async () => {
    const [id, earlier, first] = await points(3)
    await openPage(`${place}/${id}/files?path=%2Fetc&compare=${earlier}`, as)
    const results = () => screen.findAllByText('Same', { selector: '[data-row] *' }, pageTimeout)
    expect(await results()).toHaveLength(2)
    await press(/Compare with/)
    const options = await screen.findAllByRole('option', {}, pageTimeout)
    // "Nothing", then the other recovery points, the newest first
    expect(options).toHaveLength(3)
    fireEvent.click(options[2]!)
    await waitFor(() => expect(page!.address()).toContain(`compare=${first}`), pageTimeout)
    expect(await results()).toHaveLength(2)
    expect((await server.fetch(backupFiles.view, { as, params: { id: earlier } })).status).toBe(409)
    for (const one of [id, first!]) await server.call(backupFiles.close, { as, params: { id: one } })
  },
)

it(
  'tells of other recovery points whether they have the same file, one after the other',
  { ...long, tags: 'all' },
  async () => {
    const [id, ...others] = await points(3)
    await openPage(`${place}/${id}/files?path=%2Fetc`, as)
    const drawer = await openPreview('hosts')
    const list = within(await drawer.findByRole('region', { name: 'In other recovery points' }, pageTimeout))
    const lines = () => list.getAllByRole('listitem')
    await waitFor(() => expect(lines()).toHaveLength(2), pageTimeout)
    for (const [at, other] of others.entries()) {
      fireEvent.click(within(lines()[at]!).getByRole('button', { name: /^Compare with the recovery point of/ }))
      expect(document.activeElement).toBe(lines()[at])
      await waitFor(() => expect(page!.address()).toContain(`compare=${other}`), pageTimeout)
      expect(await within(lines()[at]!).findByText('Same', {}, pageTimeout)).toBeTruthy()
    }
    // the first result stays, although its recovery point was closed
    expect(lines().map(({ textContent }) => textContent)).toEqual([
      ...[expect.stringMatching(/Same$/), expect.stringMatching(/Same$/)],
    ])
    expect((await server.fetch(backupFiles.view, { as, params: { id: others[0] } })).status).toBe(409)
    for (const one of [id, others[1]!]) await server.call(backupFiles.close, { as, params: { id: one } })
  },
)

it('says that the files were closed, and opens them again', { ...long, tags: 'all' }, async () => {
  const [id] = await points()
  await openPage(`${place}/${id}/files`, as)
  await waitFor(async () => expect(await names()).toEqual(['etc', 'srv']), pageTimeout)
  await server.call(backupFiles.close, { as, params: { id } })
  fireEvent.click(screen.getByRole('link', { name: 'srv' }))
  expect(await screen.findByText(/^The files were closed/, {}, pageTimeout)).toBeTruthy()
  await press('Open again')
  await waitFor(async () => expect((await names())[0]).toBe('reports'), pageTimeout)
  await press('Close files')
  await waitFor(
    async () => expect((await server.fetch(backupFiles.view, { as, params: { id } })).status).toBe(409),
    pageTimeout,
  )
})

it('chooses the readable file system with most content', () => {
  const one = (id: string, readable: boolean, used: number | null): FileSystem => ({
    ...{ id, label: null, type: 'ext4', size: 10, used, readable, reason: readable ? null : 'encrypted' },
  })
  expect(firstReadable([one('boot', true, 1), one('data', true, 5), one('secret', false, 9)])?.id).toBe('data')
  expect(firstReadable([one('secret', false, 9)])).toBeUndefined()
})

it.each([
  ['same', 'Same'],
  ['changed', 'Different there'],
  ['gone', 'Missing there'],
  [null, undefined],
] as const)('says how a file compares: %s', (compared, text) => {
  expect(comparedStatus({ compared }, textsNow('storage'))?.text).toBe(text)
})
