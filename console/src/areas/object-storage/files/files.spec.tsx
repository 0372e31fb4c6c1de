import { afterEach, expect, it, vi } from 'vitest'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { queryClient } from '../../../api/query-client'
import {
  chooseOf,
  openPrepared,
  owner,
  pressIn,
  row,
  rowNames,
  withObjectStorage,
} from '../../../testing/object-storage'
import { page, server } from '../../../testing/pages'
import { createBucket } from '../client/buckets'
import { getObject, headObject, listObjects, putObject } from '../client/objects'
import { fileIdOf } from '../paths'
import { metadataOf } from './MetadataForm'
import { previewOf } from './Preview'

withObjectStorage()
afterEach(() => vi.restoreAllMocks())

let count = 0
/** Creates a bucket with these objects and opens one of its folders. */
async function openWith(
  objects: Record<string, string>,
  { path = '', address = (bucket: string) => `buckets/files/${bucket}` } = {},
) {
  const bucket = `manager-${(count += 1)}`
  const search = path === '' ? '' : `?${new URLSearchParams({ path })}`
  await openPrepared(`/${address(bucket)}${search}`, async () => {
    await createBucket(bucket)
    for (const [key, text] of Object.entries(objects))
      await putObject(bucket, key, text, { 'content-type': 'text/plain' })
  })
  return bucket
}
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } })
const keysOf = async (bucket: string) =>
  (await listObjects(bucket, { prefix: '', maxKeys: 1000 })).objects.map(({ Key }) => Key)
const slow = { timeout: 60_000 }

it('renames a file, and shows an error on the field if the name is taken', { tags: 'all' }, async () => {
  const bucket = await openWith({ 'a.txt': '1', 'b.txt': '2' })
  await chooseOf('a.txt', 'Rename')
  const form = await screen.findByRole('dialog', { name: 'Rename “a.txt”' })
  const field = within(form).getByLabelText('New name')
  expect(field).toHaveProperty('value', 'a.txt')
  type(field, 'x/y')
  await pressIn('Rename', form)
  await within(form).findByText('Do not use slashes.')
  type(field, 'b.txt')
  await pressIn('Rename', form)
  await within(form).findByText('A file with this name already exists.')
  type(field, 'c.txt')
  await pressIn('Rename', form)
  await waitFor(() => expect(rowNames()).toEqual(['b.txt', 'c.txt']))
  expect(await keysOf(bucket)).toEqual(['b.txt', 'c.txt'])
})

it('moves selected files and folders with a task, and refreshes the folder afterwards', { tags: 'all' }, async () => {
  const bucket = await openWith({ one: '1', 'two/a': '2', 'two/b/c': '3', keep: '4' })
  for (const name of ['one', 'two']) fireEvent.click(within(await row(name)).getByRole('checkbox'))
  await pressIn('Move to')
  const form = await screen.findByRole('dialog', { name: 'Move 2 files and folders' })
  type(within(form).getByLabelText('Folder'), '/old/things')
  await pressIn('Move', form)
  await waitFor(
    async () =>
      expect(await keysOf(bucket)).toEqual(['keep', 'old/things/one', 'old/things/two/a', 'old/things/two/b/c']),
    slow,
  )
  await waitFor(() => expect(rowNames()).toEqual(['old', 'keep']), slow)
})

it('copies to another bucket, and overwrites only if allowed', { tags: 'all' }, async () => {
  const bucket = await openWith({ 'a.txt': 'new' })
  await createBucket(`${bucket}-other`)
  await putObject(`${bucket}-other`, 'a.txt', 'old')
  await chooseOf('a.txt', 'Copy to')
  const form = await screen.findByRole('dialog', { name: 'Copy “a.txt”' })
  fireEvent.click(await within(form).findByRole('button', { name: /Bucket/ }))
  fireEvent.click(await screen.findByRole('option', { name: `${bucket}-other` }))
  await pressIn('Copy', form)
  await within(form).findByText('A file with this name already exists.')
  expect(await (await getObject(`${bucket}-other`, 'a.txt')).text()).toBe('old')
  fireEvent.click(within(form).getByRole('checkbox'))
  await pressIn('Copy', form)
  await waitFor(async () => expect(await (await getObject(`${bucket}-other`, 'a.txt')).text()).toBe('new'))
  expect(await keysOf(bucket)).toEqual(['a.txt'])
})

it(
  'creates a link with the chosen lifetime, signed with the user’s key, and none without a key',
  { tags: 'all' },
  async () => {
    const bucket = await openWith({ 'a.txt': 'shared' })
    await chooseOf('a.txt', 'Share link')
    await screen.findByText(/You have no enabled access key/)
    expect(screen.queryByRole('button', { name: 'Create link' })).toBeNull()
    fireEvent.click(screen.getAllByRole('button', { name: 'Close' }).at(-1)!)
    const { acc_key } = await server.call(s3Keys.create, { as: owner, body: { name: 'laptop' } })
    await queryClient.invalidateQueries()
    await chooseOf('a.txt', 'Share link')
    const dialog = await screen.findByRole('dialog', { name: 'Share “a.txt”' })
    await within(dialog).findByText('If this key is disabled or deleted, the link stops working immediately.')
    fireEvent.click(within(dialog).getByRole('radio', { name: 'Custom time' }))
    type(within(dialog).getByLabelText('Date and time'), '2020-01-01T00:00')
    await within(dialog).findByText('Choose a time within the next 7 days.')
    expect(within(dialog).getByRole('button', { name: 'Create link' })).toHaveProperty('disabled', true)
    fireEvent.click(within(dialog).getByRole('radio', { name: 'In 1 hour' }))
    await pressIn('Create link', dialog)
    const link = (await within(dialog).findByLabelText<HTMLInputElement>('Link')).value
    const { searchParams, pathname } = new URL(link)
    expect(pathname).toBe(`/${bucket}/a.txt`)
    expect(searchParams.get('X-Amz-Credential')).toContain(acc_key)
    expect(Math.abs(Number(searchParams.get('X-Amz-Expires')) - 3600)).toBeLessThan(5)
    // changing the lifetime discards the link
    fireEvent.click(within(dialog).getByRole('radio', { name: 'In 7 days' }))
    await waitFor(() => expect(within(dialog).queryByLabelText('Link')).toBeNull())
    await server.call(s3Keys.delete, { as: owner, params: { key: acc_key } })
  },
)

it('downloads a folder as an archive', async () => {
  await openWith({ 'docs/a': '1', 'docs/b': '2' })
  const followed: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    followed.push(this.href)
  })
  await chooseOf('docs', 'Download as ZIP')
  await waitFor(() => expect(followed).toHaveLength(1))
  const { pathname, searchParams } = new URL(followed[0]!)
  expect(pathname).toMatch(/^\/api\/v2\/s3service\/archives\/[0-9a-f-]{36}$/)
  // the session cookie does not identify a project
  expect(searchParams.get('project_id')).toBe(server.cast.people['project-member'].project!.id)
})

it('shows files whose keys contain dot segments', async () => {
  const bucket = await openWith(
    { 'a/../b.txt': 'below', 'b.txt': 'beside' },
    {
      address: (name) => `buckets/files/${name}/${fileIdOf('a/../b.txt')}`,
    },
  )
  const details = await screen.findByRole('dialog', { name: 'b.txt' })
  await within(details).findByText('below')
  expect((await headObject(bucket, 'a/../b.txt')).size).toBe(5)
  expect(await (await getObject(bucket, 'a/../b.txt')).text()).toBe('below')
  await putObject(bucket, 'a/./c', 'x')
  expect(await keysOf(bucket)).toEqual(['a/../b.txt', 'a/./c', 'b.txt'])
})

it('opens a typed path, and supports a bucket named “files”', async () => {
  const bucket = await openWith({ 'a/b/c.txt': '1' })
  await row('a')
  await pressIn('Enter path')
  type(await screen.findByLabelText('Path'), '/a/b')
  await pressIn('Go to folder')
  await row('c.txt')
  expect(page!.address()).toBe(`/s3-storage/buckets/files/${bucket}?path=a/b/`)
  await createBucket('files')
  await page!.router.navigate({ to: '/s3-storage/buckets' })
  await chooseOf('files', 'Bucket details')
  await screen.findByRole('heading', { name: 'files' })
  await screen.findByRole('tab', { name: 'Overview' })
  fireEvent.click(screen.getByRole('link', { name: 'Open files' }))
  await screen.findByText(/This folder is empty|This bucket is empty|Drop files here/)
  expect(page!.address()).toBe('/s3-storage/buckets/files/files')
})

it('changes a file’s metadata and keeps its contents', async () => {
  const bucket = await openWith({ 'a.md': '# title' })
  await chooseOf('a.md', 'Edit metadata')
  const form = await screen.findByRole('dialog', { name: 'Metadata for “a.md”' })
  type(within(form).getByLabelText('Content-Type'), 'text/markdown')
  type(within(form).getByLabelText('Custom metadata'), 'no colon')
  await pressIn('Save metadata', form)
  await within(form).findByText(/Enter one name and one value per line/)
  type(within(form).getByLabelText('Custom metadata'), 'Author: Zoë\n\nproject: x: y')
  await pressIn('Save metadata', form)
  await waitFor(async () => expect((await headObject(bucket, 'a.md')).type).toBe('text/markdown'))
  expect(await (await getObject(bucket, 'a.md')).text()).toBe('# title')
  await chooseOf('a.md', 'Edit metadata')
  await waitFor(() =>
    expect(screen.getByLabelText('Custom metadata')).toHaveProperty('value', 'author: Zoë\nproject: x: y'),
  )
})

it('shows a PDF in the browser’s viewer, or a note if the browser has none', async () => {
  let hasViewer = true
  Object.defineProperty(navigator, 'pdfViewerEnabled', { configurable: true, get: () => hasViewer })
  const bucket = await openWith({ 'a.txt': '1' })
  const show = async (Key: string) => {
    await putObject(bucket, Key, '%PDF-1.4', { 'content-type': 'application/pdf' })
    await page!.router.navigate({ to: `/s3-storage/buckets/files/${bucket}/${fileIdOf(Key)}` })
    return screen.findByRole('dialog', { name: Key })
  }
  const frame = await within(await show('guide.pdf')).findByTitle<HTMLIFrameElement>('PDF “guide.pdf”')
  const { pathname, searchParams } = new URL(frame.src)
  expect([pathname, searchParams.get('inline')]).toEqual([`/s3proxy/${bucket}/guide.pdf`, '1'])
  hasViewer = false
  const other = await show('other.pdf')
  await within(other).findByText('This browser cannot show PDF files. Download the file to read it.')
  expect(other.querySelector('iframe')).toBeNull()
  Reflect.deleteProperty(navigator, 'pdfViewerEnabled')
})

it('parses metadata line by line', () => {
  expect(metadataOf('A: 1\n b : c: d \n\n')).toEqual({ a: '1', b: 'c: d' })
  expect(['a', ': b', 'a:', 'a: b\nc'].map(metadataOf)).toEqual([null, null, null, null])
})

it('previews images, text, audio and video, but no active content', () => {
  const seen = (type: string, key = 'x', size = 10) => previewOf(key, { type, size })
  expect(['image/png', 'text/plain', 'audio/mpeg', 'video/mp4; codecs=a'].map((it) => seen(it))).toEqual([
    ...['image', 'text', 'audio', 'video'],
  ])
  expect([seen('text/html'), seen('application/javascript')]).toEqual(['text', 'text'])
  expect([
    seen('image/svg+xml'),
    seen('application/pdf', 'x.pdf', 51 * 1024 ** 2),
    seen('audio/x"><script>'),
    seen('video/mp4', 'x', 0),
  ]).toEqual([null, null, null, null])
})
