import { sessionSettings } from '@mainstay/contract/settings/sessions'
import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { openPage, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

withPages()
const field = () =>
  screen.findByLabelText<HTMLInputElement>(/^Sign out after inactivity/, { selector: 'input' }, pageTimeout)
const type = async (value: string) => {
  const input = await field()
  input.focus()
  fireEvent.change(input, { target: { value } })
  fireEvent.blur(input)
}

it('lets an operator set how many minutes users can be inactive before they are signed out', async () => {
  await openPage('/settings/sessions', 'superuser')
  expect((await field()).value).toBe('15')
  await type('30')
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText(/^Saved\. The setting applies/, {}, pageTimeout)
  expect(await server.call(sessionSettings.view, { as: 'superuser' })).toEqual({ idle_timeout_minutes: 30 })
})

it('shows the setting without a form to users with read-only access', async () => {
  await server.call(sessionSettings.save, { as: 'superuser', body: { idle_timeout_minutes: 0 } })
  await openPage('/settings/sessions', 'viewer')
  await screen.findByText('Never', {}, pageTimeout)
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
})
