import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen } from '@testing-library/react'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { startWithIdentityProvider } from '../../../../server/src/testing/outside/identity-provider'
import { withLayout } from '../../testing/browser'
import { pageTimeout } from '../../testing/page-timeout'
import { renderPage } from '../../testing/render-page'

/* The same pages before a cloud: what it has not is not offered. */

let fixture: Awaited<ReturnType<typeof startWithIdentityProvider>>
withLayout()
beforeAll(async () => {
  fixture = await startWithIdentityProvider()
})
afterAll(() => fixture.close())

it('users of a cloud are listed with who vouches for them, and no links to choose a password are offered', async () => {
  const { server } = fixture
  const body = { username: 'head', password: 'pass-head', domain: 'alpha' }
  const token = (await server.call(session.login, { body })).token!
  await expect
    .poll(
      async () => (await server.call(users.list, { as: { token }, params: { domain_id: 'd-alpha' } })).data.length,
      pageTimeout,
    )
    .toBe(4)
  const actionsOf = async (name: string) => {
    const page = await renderPage('/users', { server, token })
    await screen.findByRole('row', { name }, pageTimeout)
    // the cloud is still read, and a list that is asked again closes what hangs on its rows
    await vi.waitFor(
      () => {
        const button = screen.queryByRole('button', { name: `Actions of ${name}` })
        if (button && !screen.queryByRole('menuitem', { name: 'Edit' })) fireEvent.click(button)
        screen.getByRole('menuitem', { name: 'Edit' })
      },
      { ...pageTimeout, interval: 2000 },
    )
    // what cannot be done now is offered too
    const fold = screen.queryByRole('menuitem', { name: /^Not available now/ })
    if (fold) fireEvent.click(fold)
    const labels = screen.getAllByRole('menuitem').map((it) => it.textContent)
    page.close()
    return labels
  }
  const ofMary = await actionsOf('mary')
  expect(ofMary).toContain('Set password')
  expect(ofMary).not.toContain('Password link')
  // the company keeps her password
  expect(await actionsOf('fay')).not.toContain('Set password')
}, 60_000)
