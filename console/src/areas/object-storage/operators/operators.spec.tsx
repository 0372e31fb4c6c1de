import { expect, it, vi } from 'vitest'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { tasks } from '@mainstay/contract/core/tasks'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import { chooseOf, owner, pressIn, rowNames, withObjectStorage } from '../../../testing/object-storage'
import { dialog, openPage, server, told } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

/* Object storage pages for operators: service, domains, S3 users and their keys. */

const as = 'superuser'
const long = { timeout: 120_000 }
withObjectStorage()

const view = () => server.call(s3Service.view, { as })
const search = async (text: string) =>
  fireEvent.change(await screen.findByRole('searchbox', { name: 'Search S3 users' }, pageTimeout), {
    target: { value: text },
  })
/** The bucket owner's S3 user, which their first call creates. */
async function ownUser() {
  await server.call(s3Keys.account, { as: owner })
  const { data } = await server.call(s3Users.list, { as, params: { scope: 'cluster' } })
  const { id } = server.cast.people['project-member'].user
  return data.find((it) => it.id === id)!
}

it('disables object storage after typed confirmation, and enables it again [CA-109]', long, async () => {
  await openPage('/s3-service', as)
  await screen.findByText('Healthy', {}, pageTimeout)
  await pressIn('Disable object storage')
  const question = await screen.findByRole('alertdialog', { name: 'Disable object storage for everyone?' })
  expect(within(question).getByRole('button', { name: 'Disable object storage' })).toHaveProperty('disabled', true)
  fireEvent.change(within(question).getByRole('textbox'), { target: { value: 'disable' } })
  await pressIn('Disable object storage', question)
  await screen.findByText('Not available', {}, pageTimeout)
  expect((await view()).s3_enabled).toBe(false)
  await pressIn('Enable object storage')
  await pressIn('Enable object storage', await screen.findByRole('alertdialog', { name: 'Enable object storage?' }))
  await screen.findByText('Healthy', {}, pageTimeout)
  expect((await view()).s3_enabled).toBe(true)
})

it(
  'lists an S3 user’s keys, creates one and shows its secret once, and deletes one [CA-105] [CA-106] [CA-107]',
  long,
  async () => {
    const { id, name } = await ownUser()
    const { acc_key } = await server.call(s3Keys.create, { as: owner, body: { name: 'of their own' } })
    const keysOf = async () => {
      const { data } = await server.call(s3Users.keys, { as, params: { scope: 'cluster', id } })
      return data.map((it) => it.acc_key)
    }
    await openPage('/s3-service', as)
    await search(name)
    await chooseOf(name, 'Access keys')
    const title = `Access keys for “${name}”`
    const keys = await dialog(title)
    expect(await keys.findByText(acc_key, {}, pageTimeout)).toBeTruthy()
    expect(keys.getByText('of their own')).toBeTruthy()
    fireEvent.click(keys.getByRole('button', { name: 'Create key' }))
    const made = await dialog('Access key created')
    const secret = made.getByRole('region', { name: 'Secret key' }).textContent
    expect(secret).toMatch(/\S{20,}/)
    const [added] = (await keysOf()).filter((it) => it !== acc_key)
    expect(made.getByText(added!)).toBeTruthy()
    fireEvent.click(made.getByRole('button', { name: 'Close' }))
    await pressIn('I have saved it', await screen.findByRole('alertdialog', { name: 'Have you saved the secret key?' }))
    const again = await dialog(title)
    expect(await again.findByText(added!, {}, pageTimeout)).toBeTruthy()
    expect(document.body.textContent).not.toContain(secret)
    const line = again.getAllByRole('listitem').find((it) => it.textContent.includes(acc_key))!
    fireEvent.click(within(line).getByRole('button', { name: 'Delete key' }))
    await pressIn(
      'Delete access key',
      await screen.findByRole('alertdialog', { name: 'Delete access key “of their own”?' }),
    )
    await waitFor(() => expect(screen.queryByText(acc_key)).toBeNull(), pageTimeout)
    expect(await keysOf()).toEqual([added])
    await server.call(s3Keys.delete, { as: owner, params: { key: added! } })
  },
)

const domainSwitch = async () => screen.findByRole<HTMLInputElement>('switch', { name: /^Object storage/ }, pageTimeout)
const isOn = async () => (await domainSwitch()).checked

it(
  'enables and disables object storage for a domain with a task, and waits for the task [CA-114] [CA-115] [EN-013]',
  long,
  async () => {
    const { id } = server.cast.domains['alpha']!
    const status = () => server.call(s3Service.domainStatus, { as, params: { domain_id: id } })
    const port = server.tools.ports['object-storage']
    const original = port.setDomainEnabled.bind(port)
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => (release = resolve))
    const set = vi.spyOn(port, 'setDomainEnabled').mockImplementation(async (...given) => {
      await isReleased
      await original(...given)
    })
    try {
      await openPage(`/domains/${id}`, as)
      expect(await isOn()).toBe(true)
      fireEvent.click(await domainSwitch())
      await waitFor(() => expect(set).toHaveBeenCalledTimes(1), pageTimeout)
      // while the task runs, the switch shows the requested state and is disabled
      expect([await isOn(), (await domainSwitch()).disabled, (await status()).enabled]).toEqual([false, true, true])
      release()
      await waitFor(async () => expect((await domainSwitch()).disabled).toBe(false), pageTimeout)
      expect([await isOn(), (await status()).enabled]).toEqual([false, false])
      set.mockImplementation(original)
      fireEvent.click(await domainSwitch())
      await waitFor(async () => expect(await status()).toEqual({ domain_id: id, enabled: true }), pageTimeout)
      await waitFor(async () => expect((await domainSwitch()).disabled).toBe(false), pageTimeout)
      expect(await isOn()).toBe(true)
    } finally {
      release()
      set.mockRestore()
      await original(id, true)
    }
  },
)

it('shows an error and resets the switch if a domain’s object storage cannot be disabled [ER-059]', long, async () => {
  const { id } = server.cast.domains['alpha']!
  const port = server.tools.ports['object-storage']
  const set = vi.spyOn(port, 'setDomainEnabled').mockRejectedValue(new Error('the disk is full'))
  try {
    await openPage(`/domains/${id}`, as)
    fireEvent.click(await domainSwitch())
    await waitFor(
      () => expect(told()).toContain('Object storage could not be enabled or disabled for the domain'),
      pageTimeout,
    )
    const { data } = await server.call(tasks.list, { as, query: { name: 'object_storage.domain.disable' } })
    expect(data[0]!.state).toBe('failed')
    await waitFor(async () => expect((await domainSwitch()).disabled).toBe(false), pageTimeout)
    expect(await isOn()).toBe(true)
  } finally {
    set.mockRestore()
  }
})

it('lists S3 users in pages, each starting at the previous page’s marker [CA-008] [CA-104]', long, async () => {
  const port = server.tools.ports['object-storage']
  const domain_id = server.cast.domains['alpha']!.id
  const names = Array.from({ length: 101 }, (_, at) => `crowd-${String(at).padStart(3, '0')}`)
  for (const user_id of names) await port.account({ user_id, domain_id }, true)
  const first = await server.call(s3Users.list, { as, params: { scope: 'cluster' } })
  expect([first.data.length, first.is_truncated]).toEqual([100, true])
  const calls = vi.spyOn(globalThis, 'fetch')
  const asked = () =>
    calls.mock.calls.flatMap(([address]) => {
      const { pathname, search } = new URL(address instanceof Request ? address.url : address, server.url)
      return pathname === '/api/v2/cluster/s3/users' ? [search] : []
    })
  try {
    await openPage('/s3-service', as)
    await screen.findByText('100 users loaded, more available', {}, pageTimeout)
    expect(asked()).toEqual([''])
    // a search without a match on the first page loads the next one
    await search('crowd-100')
    await waitFor(() => expect(rowNames()).toEqual(['crowd-100']), pageTimeout)
    await waitFor(() => expect(asked()).toEqual(['', `?marker=${first.next_marker}`]), pageTimeout)
    await screen.findByText('1 user', {}, pageTimeout)
    await search('crowd-')
    await screen.findByText('101 users', {}, pageTimeout)
  } finally {
    calls.mockRestore()
  }
})
