import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumes } from '@mainstay/contract/storage/volumes'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'
import { pressAndLoad } from '../../../testing/press-and-load'

const as = 'superuser@demo'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer({ world: 'demo' })
})
afterAll(() => server.close())
afterEach(() => page?.close())

const open = async (path: string, who: Parameters<typeof renderPage>[1]['as'] = as) => {
  page = await renderPage(path, { server, as: who })
  return page
}
const volumeNamed = async (name: string) =>
  (await server.call(volumes.list, { as, query: { name: `exact:${name}` } })).data[0]!
const imageNamed = async (name: string) =>
  (await server.call(images.list, { as, query: { name: `exact:${name}` } })).data[0]!
const dialog = (name: string | RegExp) => screen.findByRole('dialog', { name })
const fill = (form: HTMLElement, label: string | RegExp, value: string) => {
  const box = within(form).getByRole('textbox', { name: label })
  fireEvent.focus(box)
  fireEvent.change(box, { target: { value } })
  fireEvent.blur(box)
}

it('lists the project’s volumes with the virtual machines that they are attached to [RT-067]', async () => {
  await open('/compute/volumes')
  const row = await screen.findByRole('row', { name: 'web-1-boot' })
  expect(within(row).getByText('In use')).toBeTruthy()
  expect(within(row).getByRole('link', { name: 'web-1' }).getAttribute('href')).toMatch(/\/compute\/instances\/./)
  expect(screen.getByRole('heading', { name: 'Volumes' })).toBeTruthy()
})

it('does not let users without permission create volumes, even from an image [RT-068]', async () => {
  const { address } = await open('/compute/volumes/add', 'viewer')
  await vi.waitFor(() => expect(address()).toBe('/error403'))
  page?.close()
  const image = await imageNamed('Debian 13')
  const second = await open(`/compute/images/${image.id}/create-volume`, 'viewer')
  await vi.waitFor(() => expect(second.address()).toBe('/error403'))
})

it('sends the entered GiB as bytes [VA-066]', async () => {
  const { address } = await open('/compute/volumes/add')
  const form = await dialog('Create volume')
  fill(form, 'Name', 'logs')
  fill(form, /Size/, '3')
  fireEvent.click(within(form).getByRole('button', { name: 'Create volume' }))
  await vi.waitFor(() => expect(address()).toBe('/compute/volumes'))
  expect((await volumeNamed('logs')).size).toBe(3 * GiB)
})

it('updates the quota preview while the user types the size', async () => {
  await open('/compute/volumes/add')
  const form = await dialog('Create volume')
  const meter = await within(form).findByRole('meter', { name: 'Storage' })
  fireEvent.input(within(form).getByRole('textbox', { name: /Size/ }), { target: { value: '7' } })
  await vi.waitFor(() => expect(meter.getAttribute('aria-valuetext')).toContain('+ 7\u00a0GiB'))
})

it('reports an invalid size instead of correcting it', async () => {
  await open('/compute/volumes/add')
  const form = await dialog('Create volume')
  fill(form, 'Name', 'nothing')
  fill(form, /Size/, '0')
  fireEvent.click(within(form).getByRole('button', { name: 'Create volume' }))
  await within(form).findByText('Use at least 1 GiB')
})

it('creates a volume from an image and returns to the image; denies access without permission [RT-063]', async () => {
  const image = await imageNamed('Debian 13')
  const refused = await open(`/compute/images/${image.id}/create-volume/image`, 'viewer')
  await vi.waitFor(() => expect(refused.address()).toBe('/error403'))
  page?.close()
  const { address } = await open(`/compute/images/${image.id}/create-volume/image`)
  const form = await dialog('Create volume from “Debian 13”')
  expect(within(form).getByLabelText<HTMLInputElement>('Name').value).toBe('Debian 13')
  expect(within(form).getByRole<HTMLInputElement>('textbox', { name: /Size/ }).value).toBe(String(image.min_disk))
  fill(form, 'Name', 'from-debian')
  fireEvent.click(within(form).getByRole('button', { name: 'Create volume' }))
  await vi.waitFor(() => expect(address()).toBe(`/compute/images/${image.id}`))
  expect(await volumeNamed('from-debian')).toMatchObject({ image_id: image.id, bootable: true })
})

it('returns to the image list by default', async () => {
  const image = await imageNamed('Debian 13')
  const { address } = await open(`/compute/images/${image.id}/create-volume?name=deb`)
  const form = await dialog('Create volume from “Debian 13”')
  fireEvent.click(within(form).getByRole('button', { name: 'Cancel' }))
  await vi.waitFor(() => expect(address()).toBe('/compute/images?name=deb'))
})

it('shows the details with the tab in the URL, and the overview without one [RT-069]', async () => {
  const { id } = await volumeNamed('media')
  const shownTab = () => screen.getAllByRole('tab').find((it) => it.getAttribute('aria-selected') === 'true')!
  for (const path of [`/compute/volumes/${id}`, `/compute/volumes/${id}/overview`]) {
    await open(path)
    await screen.findByRole('heading', { name: 'media' })
    expect(screen.getByText(id)).toBeTruthy()
    expect(shownTab().textContent).toBe('Overview')
    page?.close()
  }
  const { address } = await open(`/compute/volumes/${id}/snapshots`)
  await screen.findByText('No snapshots of this volume.')
  expect(shownTab().textContent).toMatch(/^Snapshots/)
  expect(screen.queryByText(id)).toBeNull()
  fireEvent.click(screen.getByRole('tab', { name: 'Overview' }))
  await vi.waitFor(() => expect(address()).toBe(`/compute/volumes/${id}`))
  await screen.findByText(id)
})

it('explains why an attached volume cannot be deleted', async () => {
  await open('/compute/volumes?name=web-1-boot')
  const row = await screen.findByRole('row', { name: 'web-1-boot' })
  await pressAndLoad(await within(row).findByRole('button', { name: 'Actions for web-1-boot' }))
  const item = await screen.findByRole('menuitem', { name: /Delete/ })
  expect(item.getAttribute('aria-disabled')).toBe('true')
  expect(within(item).getByText('The volume is attached. Detach it first.')).toBeTruthy()
})

it('refuses to extend a volume whose virtual machine is suspended, and explains why', async () => {
  const { data } = await server.call(volumes.list, { as, query: { attached: 'true', limit: 100 } })
  const suspended = await server.call(instances.list, { as, query: { status: 'SUSPENDED' } })
  const vm = suspended.data[0]!
  const volume = data.find(({ attachments }) => attachments[0]?.server_id === vm.id)!
  await open(`/compute/volumes?name=${volume.name}`)
  const row = await screen.findByRole('row', { name: volume.name })
  await pressAndLoad(await within(row).findByRole('button', { name: `Actions for ${volume.name}` }))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Extend volume' }))
  await screen.findByText(
    /can extend a volume that is in use only while its virtual machine is active, paused or shut down/,
  )
  expect(screen.queryByRole('button', { name: 'Extend volume' })).toBeNull()
})

const isAvailable = (name: string) =>
  vi.waitFor(async () => expect((await volumeNamed(name)).status).toBe('available'), { timeout: 60_000 })

it('clones a volume and returns to it; denies access without permission [RT-073]', async () => {
  const { id, size } = await volumeNamed('media')
  const refused = await open(`/compute/volumes/${id}/clone/volume`, 'viewer')
  await vi.waitFor(() => expect(refused.address()).toBe('/error403'))
  page?.close()
  const { address } = await open(`/compute/volumes/${id}/clone/volume`)
  const form = await dialog('Clone volume “media”')
  expect(within(form).getByLabelText<HTMLInputElement>('Name').value).toBe('media-clone')
  fill(form, /Size/, String(size / GiB - 1))
  fireEvent.click(within(form).getByRole('button', { name: 'Clone' }))
  await within(form).findByText(/^Use at least/)
  fill(form, /Size/, String(size / GiB + 1))
  fireEvent.click(within(form).getByRole('button', { name: 'Clone' }))
  await vi.waitFor(() => expect(address()).toBe(`/compute/volumes/${id}`))
  expect(await volumeNamed('media-clone')).toMatchObject({ size: size + GiB })
  await isAvailable('media')
  page?.close()
  // without a return route, the form returns to the list
  const second = await open(`/compute/volumes/${id}/clone`)
  fireEvent.click(within(await dialog('Clone volume “media”')).getByRole('button', { name: 'Cancel' }))
  await vi.waitFor(() => expect(second.address()).toBe('/compute/volumes'))
})

it('creates an image from a volume; denies access without permission [RT-074]', async () => {
  await isAvailable('media')
  const { id } = await volumeNamed('media')
  const refused = await open(`/compute/volumes/${id}/image-add`, 'viewer')
  await vi.waitFor(() => expect(refused.address()).toBe('/error403'))
  page?.close()
  const { address } = await open(`/compute/volumes/${id}/image-add`)
  const form = await dialog('Create image from volume “media”')
  fill(form, 'Image name', 'media-image')
  fireEvent.click(within(form).getByRole('button', { name: 'Create image' }))
  await vi.waitFor(() => expect(address()).toBe('/compute/volumes'))
  await vi.waitFor(async () => expect((await imageNamed('media-image')).status).toBe('active'), { timeout: 60_000 })
  await isAvailable('media')
  page?.close()
  const back = await open(`/compute/volumes/${id}/image-add/volume`)
  fireEvent.click(within(await dialog('Create image from volume “media”')).getByRole('button', { name: 'Cancel' }))
  await vi.waitFor(() => expect(back.address()).toBe(`/compute/volumes/${id}`))
})
