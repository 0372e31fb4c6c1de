import { afterEach, expect, it, vi } from 'vitest'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import { queryClient } from '../../api/query-client'
import { landingPath } from '../../nav/landing'
import { useNotices } from '../../notices/notices'
import { sessionNow } from '../../session/session'
import { menuByGroup, menuLinks } from '../../testing/menu'
import { pressAndLoad } from '../../testing/press-and-load'
import {
  chooseOf,
  openPrepared,
  openS3,
  owner,
  pressIn,
  row,
  rowNames,
  withObjectStorage,
} from '../../testing/object-storage'
import { openPage, page, server } from '../../testing/pages'
import { createBucket, deleteBucket, listBuckets } from './client/buckets'
import { abortMultiparts, createMultipart, listMultiparts } from './client/multipart'
import { getObject, headObject, listObjects, putObject } from './client/objects'
import { holdPolicy } from './client/policy'
import { putVersioning } from './client/settings'
import { deleteAll } from './delete-run'
import { fileIdOf } from './paths'

withObjectStorage()
afterEach(async () => {
  if (page && sessionNow().meta?.services.s3.available) {
    for (const { name } of await listBuckets().catch(() => [])) {
      const { signal } = new AbortController()
      await deleteAll(name, { prefixes: [''] }, signal, () => {})
      await abortMultiparts(name, signal)
      await deleteBucket(name)
    }
  }
})

const open = (path = '/buckets') => openS3(path)
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } })
const address = () => page!.address()
/** Links in the object storage menu group. */
const menuOfS3 = async () => (await menuLinks()).filter((to) => to?.startsWith('/s3-storage'))

/** Records all S3 requests from now on: method, URL and headers. */
function watchS3() {
  const calls = vi.spyOn(globalThis, 'fetch')
  const requests = () =>
    calls.mock.calls.flatMap(([to, { method = 'GET', headers } = {}]) => {
      const url = new URL(to instanceof Request ? to.url : to, location.origin)
      return url.pathname.startsWith('/s3proxy/') ? [{ method, url, headers: new Headers(headers) }] : []
    })
  /** Query parameters of the list requests for a bucket. */
  const lists = (bucket: string) =>
    requests().flatMap(({ url: { pathname, searchParams } }) =>
      pathname === `/s3proxy/${bucket}` && searchParams.has('list-type') ? [Object.fromEntries(searchParams)] : [],
    )
  return { requests, lists, stop: () => calls.mockRestore() }
}

it('redirects from /s3-storage to the buckets, and has a menu group [RT-019] [UI-014]', async () => {
  await open('')
  await screen.findByRole('heading', { name: 'Buckets' })
  expect(address()).toBe('/s3-storage/buckets')
  const { 'Object storage': entries = [] } = await menuByGroup()
  expect(entries.map((entry) => [entry.textContent, entry.getAttribute('href')])).toEqual([
    ['Buckets', '/s3-storage/buckets'],
    ['Access keys', '/s3-storage/access'],
  ])
})

it.each(['', '/buckets', '/buckets/x/overview', '/buckets/files/x', '/access'])(
  'denies access to /s3-storage%s without permission',
  async (path) => {
    await openPage(`/s3-storage${path}`, 'superuser')
    await waitFor(() => expect(address()).toBe('/error403'))
  },
)

it('denies access to the pages and hides the menu entries without permission [RT-019] [PE-021]', async () => {
  await openPage('/s3-storage', 'superuser')
  await waitFor(() => expect(address()).toBe('/error403'))
  expect(await menuOfS3()).toEqual([])
})

it('lists, creates and searches buckets [RT-132] [S3-016] [S3-024] [S3-025]', async () => {
  await openPage('/s3-storage/buckets', 'superuser')
  await waitFor(() => expect(address()).toBe('/error403'))
  await open()
  await screen.findByText('No buckets yet.')
  fireEvent.click(screen.getAllByRole('link', { name: 'Create bucket' })[0]!)
  const form = await screen.findByRole('dialog')
  type(within(form).getByLabelText('Name'), 'console-first')
  await pressIn('Create bucket', form)
  await row('console-first')
  await createBucket('console-second')
  await pressIn('Reload')
  await row('console-second')
  type(screen.getByRole('searchbox', { name: 'Search buckets' }), 'sec')
  expect(rowNames()).toEqual(['console-second'])
  const asked = watchS3()
  await pressIn('Reload')
  await waitFor(() =>
    expect(asked.requests().map(({ method, url }) => `${method} ${url}`)).toEqual([`GET ${location.origin}/s3proxy/`]),
  )
  asked.stop()
})

it('deletes an empty bucket after its name has been typed [S3-026]', async () => {
  await openPrepared('/buckets', () => createBucket('console-empty'))
  await chooseOf('console-empty', 'Delete bucket')
  const question = await screen.findByRole('alertdialog')
  expect(within(question).getByRole('button', { name: 'Delete bucket' })).toHaveProperty('disabled', true)
  type(within(question).getByRole('textbox'), 'console-empty')
  await pressIn('Delete bucket', question)
  await screen.findByText('No buckets yet.')
  expect(await listBuckets()).toEqual([])
})

it('offers to empty a bucket, and deletes it with all versions in one batch request [S3-032]', async () => {
  await openPrepared('/buckets', async () => {
    await createBucket('console-full')
    await putVersioning('console-full', true)
    await Promise.all(['a', 'b/c', 'b/'].map((key) => putObject('console-full', key, 'x')))
  })
  await chooseOf('console-full', 'Delete bucket')
  const question = await screen.findByRole('alertdialog')
  type(within(question).getByRole('textbox'), 'console-full')
  const asked = watchS3()
  await pressIn('Delete bucket', question)
  await pressIn('Empty and delete', await screen.findByRole('alertdialog', { name: /is not empty/ }))
  // the server empties the bucket in a task
  await screen.findByText('No buckets yet.', undefined, { timeout: 60_000 })
  const batches = asked.requests().filter(({ url }) => url.searchParams.has('delete'))
  expect(batches.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual(['POST /s3proxy/console-full'])
  asked.stop()
})

it('shows a bucket with overview and bucket policy tabs [RT-133]', async () => {
  await openPrepared('/buckets/console-tabs/overview', async () => {
    await createBucket('console-tabs')
    await putObject('console-tabs', 'a', 'hello')
  })
  await screen.findByRole('heading', { name: 'console-tabs' })
  expect((await screen.findByRole('tab', { name: 'Overview' })).getAttribute('aria-selected')).toBe('true')
  await screen.findByTitle('5 B')
  fireEvent.click(screen.getByRole('tab', { name: 'Bucket policy' }))
  await screen.findByText('No bucket policy. Only the owner has access.')
  expect(address()).toBe('/s3-storage/buckets/console-tabs/bucket-policy')
})

it('counts the objects in a bucket, 1000 keys per request [CO-017]', async () => {
  await openPrepared('/buckets', async () => {
    await createBucket('console-count')
    for (const key of ['a', 'b/c']) await putObject('console-count', key, 'x')
  })
  await row('console-count')
  const asked = watchS3()
  await page!.router.navigate({ to: '/s3-storage/buckets/console-count/overview' })
  await screen.findByTitle('2 B')
  expect(asked.lists('console-count')).toEqual([
    { 'list-type': '2', prefix: '', 'max-keys': '1000', 'encoding-type': 'url' },
  ])
  asked.stop()
})

it('lists the folder in the URL, subfolders first, 36 keys per page [RT-135] [CO-016] [S3-023]', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `docs/f${String(at).padStart(2, '0')}`)
  let asked: ReturnType<typeof watchS3> | undefined
  await openPrepared('/buckets/files/console-files?path=docs/', async () => {
    await createBucket('console-files')
    await Promise.all([...names, 'docs/zoo/a', 'top'].map((key) => putObject('console-files', key, 'x')))
    asked = watchS3()
  })
  await row('f00')
  // 36 rows do not fill the page, so the next page is loaded
  await row('f39')
  const lists = asked!.lists('console-files')
  asked!.stop()
  const first = await listObjects('console-files', { prefix: 'docs/', delimiter: '/', maxKeys: 36 })
  expect(first.objects).toHaveLength(36)
  expect(first.next).toBeDefined()
  const question = { 'list-type': '2', prefix: 'docs/', delimiter: '/', 'max-keys': '36', 'encoding-type': 'url' }
  expect(lists).toEqual([question, { ...question, 'continuation-token': first.next }])
  await waitFor(() => expect(rowNames()).toEqual(['zoo', ...names.map((name) => name.slice(5))]))
  const way = screen.getByRole('navigation', { name: 'Breadcrumb' })
  fireEvent.click(within(way).getByRole('link', { name: 'console-files' }))
  await waitFor(() => expect(rowNames()).toEqual(['docs', 'top']))
})

it('creates a folder as an empty object whose key ends with a slash [RT-136] [S3-031] [S3-020]', async () => {
  await openPrepared('/buckets/files/console-folder/add', () => createBucket('console-folder'))
  const form = await screen.findByRole('dialog')
  type(within(form).getByLabelText('Name'), 'photos')
  await pressIn('Create folder', form)
  await row('photos')
  expect(await headObject('console-folder', 'photos/')).toMatchObject({ size: 0 })
})

it('shows file details, and HTML content as plain text [RT-137] [S3-021]', async () => {
  const html = '<script>alert(1)</script>'
  await openPrepared(`/buckets/files/console-file/${fileIdOf('a/b.html')}`, async () => {
    await createBucket('console-file')
    await putObject('console-file', 'a/b.html', html, { 'content-type': 'text/html' })
  })
  const details = await screen.findByRole('dialog', { name: 'b.html' })
  expect(within(details).getByText('s3://console-file/a/b.html')).toBeTruthy()
  expect((await within(details).findByText(html)).tagName).toBe('PRE')
  expect(await (await getObject('console-file', 'a/b.html')).text()).toBe(html)
})

it('deletes files and folders with their contents after confirmation [S3-022] [S3-032]', async () => {
  await openPrepared('/buckets/files/console-remove', async () => {
    await createBucket('console-remove')
    await Promise.all(['keep', 'one', 'two/a', 'two/b/c'].map((key) => putObject('console-remove', key, 'x')))
  })
  for (const name of ['one', 'two']) fireEvent.click(within(await row(name)).getByRole('checkbox'))
  await pressIn('Delete')
  await pressIn('Delete 2 items', await screen.findByRole('alertdialog', { name: 'Delete 2 items?' }))
  await waitFor(() => expect(rowNames()).toEqual(['keep']))
  const { objects } = await listObjects('console-remove', { prefix: '', maxKeys: 1000 })
  expect(objects.map(({ Key }) => Key)).toEqual(['keep'])
  await chooseOf('keep', 'Delete file')
  await pressIn('Delete file', await screen.findByRole('alertdialog', { name: 'Delete file “keep”?' }))
  await screen.findByText(/^This bucket is empty/)
  expect((await listObjects('console-remove', { prefix: '', maxKeys: 1000 })).objects).toEqual([])
})

it('aborts incomplete uploads when emptying and deleting a bucket', { tags: 'all' }, async () => {
  const { signal } = new AbortController()
  await openPrepared('/buckets', async () => {
    await createBucket('console-parts')
    const id = await createMultipart('console-parts', 'big file', 'text/plain', signal)
    expect(await listMultiparts('console-parts', signal)).toEqual([{ key: 'big file', uploadId: id }])
    await putObject('console-parts', 'small file')
  })
  await chooseOf('console-parts', 'Delete bucket')
  const question = await screen.findByRole('alertdialog')
  type(within(question).getByRole('textbox'), 'console-parts')
  await pressIn('Delete bucket', question)
  await pressIn('Empty and delete', await screen.findByRole('alertdialog', { name: /is not empty/ }))
  await screen.findByText('No buckets yet.')
})

it('shows the endpoint, the ARN and the keys; enables, disables and deletes a key [RT-138] [EN-010]', async () => {
  const made = await server.call(s3Keys.create, { as: owner, body: { name: 'backup' } })
  await open('/access')
  await row('backup')
  const { arn } = await server.call(s3Keys.account, { as: owner })
  expect(screen.getByText(arn)).toBeTruthy()
  const { endpoint } = await server.call(s3Service.view, { as: owner })
  expect(screen.getByText(endpoint!)).toBeTruthy()
  expect(screen.getByText('Any region name works, for example us-east-1.')).toBeTruthy()
  expect(document.body.textContent).not.toContain(made.sec_key)
  await chooseOf('backup', 'Disable')
  await within(await row('backup')).findByText('Disabled')
  await chooseOf('backup', 'Enable')
  await within(await row('backup')).findByText('Enabled')
  await chooseOf('backup', 'Delete key')
  await pressIn('Delete access key', await screen.findByRole('alertdialog'))
  await screen.findByText('No access keys yet.')
})

it('creates a key, shows its secret once, and rejects a third key [RT-139] [EN-011]', async () => {
  await open('/access/create-key')
  const form = await screen.findByRole('dialog')
  type(within(form).getByLabelText(/^Name/), 'laptop')
  await pressIn('Create key', form)
  const shown = await screen.findByRole('dialog', { name: 'Access key created' })
  const secret = within(shown).getByRole('region', { name: 'Secret key' }).textContent
  expect(secret).toMatch(/\S{20,}/)
  await pressIn('Close', shown)
  await pressIn('I have saved it', await screen.findByRole('alertdialog', { name: 'Have you saved the secret key?' }))
  await row('laptop')
  expect(document.body.textContent).not.toContain(secret)
  await server.call(s3Keys.create, { as: owner, body: { name: 'second' } })
  await pressIn('Reload')
  await row('second')
  const add = screen.getAllByRole('button', { name: 'Create key' })[0]!
  expect(add.getAttribute('aria-disabled')).toBe('true')
  expect(
    screen.getAllByText('You have 2 keys, which is the maximum. Delete one before you create another.').length,
  ).toBeGreaterThan(0)
  const { keys } = await server.call(s3Keys.account, { as: owner })
  await Promise.all(keys.map(({ acc_key: key }) => server.call(s3Keys.delete, { as: owner, params: { key } })))
})

it('does not send invalid JSON as a policy, and shows the server’s validation errors under the editor [RT-134] [S3-030]', async () => {
  await openPrepared('/buckets/console-policy/bucket-policy/manage', () => createBucket('console-policy'))
  const editor = await screen.findByRole('textbox', { name: /Policy as JSON/ })
  const calls = vi.spyOn(globalThis, 'fetch')
  type(editor, '{\n  "Version"')
  await pressIn('Save policy')
  await screen.findByText(/^Line 2: /)
  expect(calls.mock.calls.filter(([address]) => JSON.stringify(address).includes('/s3proxy/'))).toEqual([])
  calls.mockRestore()
  const asked = watchS3()
  const validations = () =>
    asked
      .requests()
      .flatMap(({ method, headers }) => (method === 'PUT' ? [headers.get('x-mainstay-validate-only')] : []))
  const kept = () => validations().filter((only) => only !== 'true')
  type(editor, '{"Version": "2012-10-17", "Statement": [{"Effect": "Maybe"}]}')
  await pressIn('Save policy')
  // the policy was sent only for validation, while the user typed or saved, and was never stored
  await waitFor(() => expect(validations()).toContain('true'))
  await waitFor(() => expect(editor.getAttribute('aria-invalid')).toBe('true'))
  expect(kept()).toEqual([])
  expect((await holdPolicy('console-policy')).text).toBeNull()
  const { arn } = await server.call(s3Keys.account, { as: owner })
  const good = {
    Effect: 'Allow',
    Principal: { AWS: [arn] },
    Action: 's3:GetObject',
    Resource: 'arn:aws:s3:::console-policy/*',
  }
  type(editor, JSON.stringify({ Version: '2012-10-17', Statement: [good] }))
  await pressIn('Save policy')
  await waitFor(() => expect(address()).toBe('/s3-storage/buckets/console-policy/bucket-policy'))
  expect(kept()).toEqual([null])
  asked.stop()
  expect(JSON.parse((await holdPolicy('console-policy')).text!)).toMatchObject({ Statement: [good] })
})

it('asks for confirmation before making a bucket public, and deletes the policy again [S3-027] [S3-028] [S3-029]', async () => {
  await openPrepared('/buckets/console-public/bucket-policy/manage', () => createBucket('console-public'))
  await pressIn('Public read')
  await pressIn('Save policy')
  const question = await screen.findByRole('alertdialog', { name: 'Make “console-public” public?' })
  expect((await holdPolicy('console-public')).text).toBeNull()
  await pressIn('Make bucket public', question)
  await screen.findByText(/Anyone can read files in this bucket without signing in/)
  expect((await holdPolicy('console-public')).text).toContain('s3:GetObject')
  fireEvent.click(screen.getByRole('link', { name: 'Edit bucket policy' }))
  await pressIn('Delete policy')
  await pressIn('Delete policy', await screen.findByRole('alertdialog'))
  await screen.findByText('No bucket policy. Only the owner has access.')
  expect((await holdPolicy('console-public')).text).toBeNull()
})

it('hides key disabling, last use and policy validation if the engine does not support them', async () => {
  const port = server.tools.ports['object-storage']
  const told = await port.service()
  const capabilities = { disabling_keys: false, key_use: false, policy_validation: false }
  const service = vi.spyOn(port, 'service').mockResolvedValue({ ...told, capabilities })
  const { acc_key: key } = await server.call(s3Keys.create, { as: owner, body: { name: 'fixed' } })
  await open('/access')
  await pressAndLoad(await within(await row('fixed')).findByRole('button', { name: 'Actions for fixed' }))
  await screen.findByRole('menuitem', { name: 'Delete key' })
  expect(screen.queryByRole('menuitem', { name: 'Disable' })).toBeNull()
  expect(screen.queryByRole('columnheader', { name: /Last used/ })).toBeNull()
  await createBucket('console-plain')
  await page!.router.navigate({ to: '/s3-storage/buckets/console-plain/bucket-policy/manage' })
  const calls = vi.spyOn(globalThis, 'fetch')
  const editor = await screen.findByRole('textbox', { name: /Policy as JSON/ })
  type(editor, '{"Version": "2012-10-17", "Statement": [{"Effect": "Maybe"}]}')
  await pressIn('Save policy')
  await waitFor(() => expect(editor.getAttribute('aria-invalid')).toBe('true'))
  const sent = calls.mock.calls.filter(
    ([address, init]) => JSON.stringify(address).includes('policy') && init?.method === 'PUT',
  )
  expect(sent).toHaveLength(1)
  expect(Object.keys(sent[0]![1]!.headers!)).not.toContain(S3_VALIDATE_HEADER)
  calls.mockRestore()
  service.mockRestore()
  await server.call(s3Keys.delete, { as: owner, params: { key } })
})

/** The home page of an installation without compute, which is object storage while it is available. */
const landing = () => {
  const session = sessionNow()
  const meta = session.meta!
  return landingPath({
    ...session,
    meta: { ...meta, services: { ...meta.services, compute: { ...meta.services.compute, configured: false } } },
  })
}

/** Opens the bucket list and checks that its menu entries, home page and cached data are present. */
async function openKept() {
  await open('/access')
  await screen.findByText('No access keys yet.')
  await page!.router.navigate({ to: '/s3-storage/buckets' })
  await screen.findByText('No buckets yet.')
  expect(await menuOfS3()).toEqual(['/s3-storage/buckets', '/s3-storage/access'])
  expect(landing()).toBe('/s3-storage')
  expect(keptOfS3()).not.toEqual([])
}

/** Object storage entries in the query cache: S3 responses and the user's own S3 account. */
const keptOfS3 = () =>
  queryClient
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => JSON.stringify(queryKey))
    .filter((key) => key.startsWith('["s3"') || key.includes('/s3service/user'))

/** Asserts the console's state after object storage became unavailable while one of its pages was open. */
async function isLost(title: string) {
  await waitFor(() => expect(address()).not.toContain('s3-storage'))
  expect(await menuOfS3()).toEqual([])
  expect(landing()).toBe('/no-service')
  expect(keptOfS3()).toEqual([])
  await waitFor(() => expect(useNotices.getState().notices.map((it) => it.title)).toContain(title))
}

it('removes the menu entries and all cached data when the S3 user is disabled [S3-002] [S3-003] [S3-004] [S3-005]', async () => {
  await openKept()
  const { data } = await server.call(s3Users.list, { as: 'superuser', params: { scope: 'cluster' } })
  const [user] = data
  const change = (is_enabled: boolean) =>
    server.call(s3Users.update, { as: 'superuser', params: { scope: 'cluster', id: user!.id }, body: { is_enabled } })
  await change(false)
  try {
    await pressIn('Reload')
    await isLost('Your S3 user is disabled')
  } finally {
    await change(true)
  }
})

it.each<[string, (there: boolean) => Promise<unknown>]>([
  [
    'object storage has been removed',
    (there) => server.call(there ? s3Service.create : s3Service.delete, { as: 'superuser' }),
  ],
  [
    'object storage is disabled for the user’s domain',
    async (there) => {
      const { data } = await server.call(s3Users.list, { as: 'superuser', params: { scope: 'cluster' } })
      await server.tools.ports['object-storage'].setDomainEnabled(data[0]!.domain_id, there)
    },
  ],
])('removes the menu entries and all cached data when %s [S3-001] [S3-003] [S3-004] [S3-005]', async (_, set) => {
  await openKept()
  await set(false)
  try {
    await pressIn('Reload')
    await isLost('Object storage is not available')
  } finally {
    await set(true)
  }
})
