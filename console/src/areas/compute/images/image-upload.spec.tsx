import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { imageUploads } from '@mainstay/contract/compute/image-uploads'
import { ImageHeaders, images } from '@mainstay/contract/compute/images'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { imageUpload } from '../../../notices/image-upload'
import { hasUnsavedWork } from '../../../notices/leave-guard'
import { removeNotice, useNotices } from '../../../notices/notices'
import { abortUpload, removeUpload, startUpload, useUploads } from '../../../notices/uploads'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'

const as = 'domain-admin@alpha-one'

/** Fake XMLHttpRequest that records the request and lets the test control its outcome. */
class HeldRequest extends EventTarget {
  static sent: HeldRequest[] = []
  readonly upload = new EventTarget()
  readonly headers: Record<string, string> = {}
  address = ''
  body: unknown
  status = 0
  responseText = ''
  open(verb: string, address: string) {
    this.address = `${verb} ${address}`
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value
  }
  getResponseHeader() {
    return null
  }
  send(body: unknown) {
    this.body = body
    HeldRequest.sent.push(this)
  }
  abort() {
    this.dispatchEvent(new Event('abort'))
    this.dispatchEvent(new Event('loadend'))
  }
  move(loaded: number) {
    this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded }))
  }
  answer(status: number, body: unknown) {
    this.status = status
    this.responseText = JSON.stringify(body)
    this.dispatchEvent(new Event('load'))
    this.dispatchEvent(new Event('loadend'))
  }
}
const sent = () => HeldRequest.sent
const last = () => sent().at(-1)!
const states = () => useUploads.getState().uploads.map(({ name, status }) => `${name} ${status}`)
const start = (name: string) => startUpload(imageUpload, name, { file: new File(['0123456789'], `${name}.raw`) })

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => {
  for (const { id } of useNotices.getState().notices) removeNotice(id)
  HeldRequest.sent = []
  vi.stubGlobal('XMLHttpRequest', HeldRequest)
})
afterEach(() => {
  page?.close()
  page = undefined
  for (const { id } of useUploads.getState().uploads) {
    abortUpload(id)
    removeUpload(id)
  }
  useUploads.setState({ uploads: [] })
  vi.unstubAllGlobals()
})

async function openForm() {
  page = await renderPage('/compute/images/add', { server, as })
  return screen.findByRole('dialog', { name: 'Add image' })
}
function choose(form: HTMLElement, name: string, content = 'content') {
  const input = form.querySelector<HTMLInputElement>('input[type=file]')!
  fireEvent.change(input, { target: { files: [new File([content], name)] } })
}
const submit = (form: HTMLElement) => fireEvent.click(within(form).getByRole('button', { name: 'Add image' }))

it('denies access to the page to users who may not create images [RT-061]', async () => {
  page = await renderPage('/compute/images/add', { server, as: 'project-member' })
  await vi.waitFor(() => expect(page!.address()).toBe('/error403'))
})

it('refuses an unsupported file extension before sending any data [VA-051] [VA-052]', async () => {
  const form = await openForm()
  choose(form, 'notes.txt')
  await within(form).findByText('“notes.txt” does not have a supported file extension')
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: 'notes' } })
  submit(form)
  await vi.waitFor(() => expect(within(form).getByText(/does not have a supported file extension/)).toBeTruthy())
  expect(sent()).toEqual([])
  expect(screen.getByRole('dialog', { name: 'Add image' })).toBeTruthy()
})

it(
  'shows how much of the image quota a file would use, and whether it exceeds the quota',
  { tags: 'all' },
  async () => {
    const form = await openForm()
    const meter = await within(form).findByRole('meter', { name: 'Image storage' })
    expect(meter.getAttribute('aria-valuetext')).toMatch(/^0\sB of .+ left$/)
    choose(form, 'small.raw')
    await vi.waitFor(() => expect(meter.getAttribute('aria-valuetext')).toMatch(/^0\sB \+ 7\sB of .+ left$/))
    fireEvent.click(within(form).getByRole('button', { name: /^Remove.*small\.raw/ }))
    const large = Object.defineProperty(new File([''], 'large.raw'), 'size', { value: 2 ** 60 })
    fireEvent.change(form.querySelector('input[type=file]')!, { target: { files: [large] } })
    await vi.waitFor(() => expect(meter.getAttribute('aria-valuetext')).toMatch(/over the limit$/))
  },
)

it('sends the file in the body and properties in headers, shows progress and can be cancelled [UI-103]', async () => {
  const form = await openForm()
  choose(form, 'debian-12.qcow2', 'x'.repeat(100))
  await vi.waitFor(() => expect(within(form).getByLabelText<HTMLInputElement>('Name').value).toBe('debian-12'))
  submit(form)
  await vi.waitFor(() => expect(sent()).toHaveLength(1))
  const { address, headers, body } = last()
  expect(address).toBe('POST /api/v2/compute/images')
  expect(headers['content-type']).toBe('application/octet-stream')
  expect(ImageHeaders.parse(headers)).toMatchObject({
    'x-hci-image-name': 'debian-12',
    'x-hci-image-disk-format': 'qcow2',
    'x-hci-image-os-distro': 'debian12',
  })
  expect((body as File).size).toBe(100)

  // the form closes while the upload continues
  await vi.waitFor(() => expect(page!.address()).toBe('/compute/images'))
  await screen.findByText('Uploading debian-12')
  last().move(40)
  const bar = await screen.findByRole('progressbar', { name: 'Uploading debian-12' })
  await vi.waitFor(() => expect(bar.getAttribute('aria-valuenow')).toBe('40'))
  fireEvent.click(screen.getByRole('button', { name: 'Cancel upload' }))
  await screen.findByText('Upload of debian-12 cancelled')
})

it('shows the reason if the server refuses an image', async () => {
  page = await renderPage('/compute/images', { server, as })
  await screen.findByRole('heading', { name: 'Images' })
  start('evil')
  const message = 'The image depends on a backing file'
  last().answer(422, { error: { message, err_code: 'image_backing_file', fields: {}, data: {}, request_id: 'r1' } })
  await screen.findByText('Cannot upload evil')
  expect(screen.getByText(message)).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  await vi.waitFor(() => expect(screen.queryByText('Cannot upload evil')).toBeNull())
})

it('uploads files one at a time, in order, and warns before the user leaves the page during an upload', async () => {
  start('first')
  start('second')
  start('third')
  expect(states()).toEqual(['first PROGRESS', 'second PENDING', 'third PENDING'])
  expect(sent()).toHaveLength(1)
  expect(hasUnsavedWork()).toBe(true)
  abortUpload(useUploads.getState().uploads[1]!.id)
  last().answer(202, { id: 'one' })
  await vi.waitFor(() => expect(states()).toEqual(['first UPLOADED', 'second CANCELED', 'third PROGRESS']))
  last().answer(202, { id: 'three' })
  await vi.waitFor(() => expect(states().at(-1)).toBe('third UPLOADED'))
  expect(hasUnsavedWork()).toBe(false)
})

it('shows an upload interrupted by a reload, and resumes it only with the same file', async () => {
  const content = new Uint8Array(4096)
  content.set([0x55, 0xaa], 510)
  const id = crypto.randomUUID()
  const headers = { 'x-hci-image-name': btoa('broken'), 'x-hci-upload-id': id, 'x-hci-upload-size': '4096' }
  const leaving = new AbortController()
  let answer = 'none'
  fetch(`${server.url}${images.create.path}`, {
    method: 'POST',
    headers: { ...headers, 'x-auth-token': await server.signIn(as), 'content-type': 'application/octet-stream' },
    body: new ReadableStream({ start: (stream) => stream.enqueue(content.subarray(0, 1000)) }),
    duplex: 'half',
    signal: leaving.signal,
  } as RequestInit).then(
    async (response) => (answer = await response.text()),
    () => undefined,
  )
  const arrived = () =>
    server.call(imageUploads.view, { as, params: { id } }).catch(({ message }: Error) => ({ offset: message }))
  await vi.waitFor(async () => expect(await arrived(), `the answer: ${answer}`).toMatchObject({ offset: 1000 }))
  leaving.abort()
  const kept = {
    id,
    name: 'broken',
    file: { name: 'broken.raw', size: 4096, lastModified: 7 },
    headers: { 'x-hci-image-name': headers['x-hci-image-name'] },
    projectId: server.cast.projects['alpha-one']!.id,
    aliveAt: 0,
  }
  localStorage.setItem('uploads', JSON.stringify([kept]))

  page = await renderPage('/compute/images', { server, as })
  const title = await screen.findByText('Upload of broken was interrupted')
  const toast = title.closest('article')!
  within(toast).getByRole('button', { name: 'Choose file' })
  const pick = (file: File) => fireEvent.change(toast.querySelector('input[type=file]')!, { target: { files: [file] } })
  pick(new File(['another'], 'broken.raw', { lastModified: 7 }))
  await within(toast).findByText(/This is a different file/)
  expect(sent()).toEqual([])
  pick(new File([content], 'broken.raw', { lastModified: 7 }))
  await vi.waitFor(() => expect(sent()).toHaveLength(1))
  expect(last().headers).toMatchObject({ ...headers, 'x-hci-upload-offset': '1000' })
  expect((last().body as Blob).size).toBe(3096)
  last().answer(202, { id: 'broken' })
  await screen.findByText('broken uploaded')
  expect(localStorage.getItem('uploads')).toBeNull()
})
