import { expect, it } from 'vitest'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { chooseOf, owner, pressIn, row, rowNames, withObjectStorage } from '../../testing/object-storage'
import { openPage, server } from '../../testing/pages'

withObjectStorage()

const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } })

it('shows operators the service and its users, disables a user, and sets a storage limit', async () => {
  await server.call(s3Keys.account, { as: owner })
  await openPage('/s3-service', 'superuser')
  await screen.findByText('Healthy')
  const [name] = await waitFor(() => {
    expect(rowNames()).not.toEqual([])
    return rowNames() as [string]
  })
  await chooseOf(name, 'Disable')
  await within(await row(name)).findByText('Disabled')
  await chooseOf(name, 'Enable')
  await within(await row(name)).findByText('Enabled')
  await chooseOf(name, 'Set storage limit')
  const form = await screen.findByRole('dialog')
  type(within(form).getByRole('textbox', { name: /Storage limit/ }), '2')
  fireEvent.blur(within(form).getByRole('textbox', { name: /Storage limit/ }))
  await pressIn('Set storage limit', form)
  await within(await row(name)).findByTitle('2,147,483,648 B')
})
