import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { users } from '@mainstay/contract/identity/users'
import { PASSWORD } from '../../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { renderPage } from '../../../testing/render-page'
import { pageTimeout } from '../../../testing/page-timeout'

const right = ['abc', 'A_9', 'x'.repeat(32)]
const wrong = ['ab', 'x'.repeat(33), 'a-b', 'a b', 'zoë', 'a.b', 'ab@c']

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

it('limits usernames to 3 to 32 letters, digits and underscores, in both the form and the API [VA-039]', async () => {
  page = await renderPage('/users/add', { server, as: 'domain-admin' })
  const form = within(await screen.findByRole('dialog', { name: 'Create user' }, pageTimeout))
  const field = form.getByLabelText(/^Username/)
  const says = async (name: string, isInvalid: boolean) => {
    fireEvent.change(field, { target: { value: name } })
    fireEvent.blur(field)
    await vi.waitFor(
      () => expect([name, field.getAttribute('aria-invalid') === 'true']).toEqual([name, isInvalid]),
      pageTimeout,
    )
  }
  for (const name of wrong) {
    await says('valid_name', false)
    await says(name, true)
  }
  for (const name of right) {
    await says('a-b', true)
    await says(name, false)
  }
  const create = (name: string) => server.call(users.create, { as: 'domain-admin', body: { name, password: PASSWORD } })
  for (const name of right) expect(await create(name)).toMatchObject({ name })
  for (const name of wrong)
    await expect(create(name)).rejects.toMatchObject({ code: 'validation', fields: { name: [expect.any(String)] } })
})
