import { expect } from '@playwright/test'
import { test } from '../support/test'
import { enterDemo } from './enter-demo'

test('an operator gives a placement out, and a member chooses it for a virtual machine', async ({
  page,
  server,
  signIn,
  expectAccessible,
}) => {
  await signIn(`${server.adminUrl}/compute/placements`)
  await expectAccessible()
  await page.getByRole('link', { name: 'Add placement' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add placement' })
  await form.getByLabel('Name').fill('gold')
  await form.getByLabel('Description').fill('Fast disks')
  await expectAccessible()
  await form.getByRole('button', { name: 'Add placement' }).click()

  await page.getByRole('row', { name: 'gold', exact: true }).getByRole('link').click()
  const details = page.getByRole('dialog', { name: 'gold' })
  await expect(details).toContainText('Fast disks')
  for (const [carriers, name] of [
    ['Nodes', /./],
    ['Flavors', 's1.micro'],
    ['Images', 'Alpine Linux'],
  ] as const) {
    await details.getByRole('link', { name: `${carriers} of “gold”` }).click()
    const choice = page.getByRole('dialog', { name: `${carriers} of “gold”` })
    await choice.getByRole('checkbox', { name, ...(typeof name === 'string' && { exact: true }) }).check()
    await expectAccessible()
    await choice.getByRole('button', { name: 'Save' }).click()
    await expect(choice).toBeHidden()
  }
  await expect(details).toContainText('s1.micro')
  await expect(details.getByRole('link', { name: 'Alpine Linux' })).toBeVisible()
  // away from the notice that came up under it, whose hint belongs to no landmark
  await page.mouse.move(400, 600)
  await expectAccessible()
  await details.getByRole('button', { name: 'Actions of Placement' }).click()
  await expect(page.getByRole('menuitem', { name: /Delete/ })).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Escape')
  // what is made of an image gets it by itself, so that here it is chosen for something else
  await details.getByRole('link', { name: 'Images of “gold”' }).click()
  const images = page.getByRole('dialog', { name: 'Images of “gold”' })
  await images.getByRole('checkbox', { name: 'Alpine Linux', exact: true }).uncheck()
  await images.getByRole('button', { name: 'Save' }).click()
  await expect(details.getByRole('link', { name: 'Alpine Linux' })).toBeHidden()

  await signIn(`${server.url}/login`)
  await enterDemo(page)
  await page.goto('/compute/instances/add')
  await page.getByLabel('Name').fill('placed')
  await page.getByRole('link', { name: 'Choose: Boot from' }).click()
  await page.getByRole('radio', { name: 'Alpine Linux', exact: true }).check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: /^Advanced/ }).click()
  await page.getByRole('group', { name: 'Placements' }).getByRole('checkbox', { name: 'gold' }).check()
  await expectAccessible()
  await page.getByRole('button', { name: 'Deploy virtual machine' }).click()
  await page.getByRole('row', { name: 'placed', exact: true }).getByRole('link').click()
  const machine = page.getByRole('dialog', { name: 'placed' })
  await expect(machine).toContainText('gold')
  await machine.getByRole('link', { name: 'Edit placements' }).click()
  const edit = page.getByRole('dialog', { name: 'Placements of “placed”' })
  await expect(edit.getByRole('checkbox', { name: 'gold' })).toBeChecked()
  await expectAccessible()
  await edit.getByRole('button', { name: 'Cancel' }).click()

  await page.goto('/compute/instances?traits=any:none')
  await expect(page.getByRole('row', { name: 'placed', exact: true })).toBeHidden()
})
