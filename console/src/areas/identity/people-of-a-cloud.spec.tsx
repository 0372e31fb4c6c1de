import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen } from '@testing-library/react'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { startWithIdentityProvider } from '../../../../server/src/testing/outside/identity-provider'
import { withLayout } from '../../testing/browser'
import { pageTimeout } from '../../testing/page-timeout'
import { renderPage } from '../../testing/render-page'

/* Tests that, with a cloud as the engine, the identity pages hide features that the cloud does not support. */

let fixture: Awaited<ReturnType<typeof startWithIdentityProvider>>
withLayout()
beforeAll(async () => {
  fixture = await startWithIdentityProvider()
})
afterAll(() => fixture.close())

it(
  'offers no password links for users from a cloud, and no passwords for federated users',
  { tags: 'all', timeout: 180_000 },
  async () => {
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
      // retry: rows are still loading, and each list refresh closes an open menu
      await vi.waitFor(
        () => {
          const button = screen.queryByRole('button', { name: `Actions for ${name}` })
          if (button && !screen.queryByRole('menuitem', { name: 'Edit' })) fireEvent.click(button)
          screen.getByRole('menuitem', { name: 'Edit' })
        },
        { ...pageTimeout, interval: 2000 },
      )
      // also include the disabled actions in the submenu
      const fold = screen.queryByRole('menuitem', { name: /^Unavailable actions/ })
      if (fold) fireEvent.click(fold)
      const labels = screen.getAllByRole('menuitem').map((it) => it.textContent)
      page.close()
      return labels
    }
    const ofMary = await actionsOf('mary')
    expect(ofMary).toContain('Set password')
    expect(ofMary).not.toContain('Create password link')
    // the identity provider manages the password
    expect(await actionsOf('fay')).not.toContain('Set password')
  },
)
