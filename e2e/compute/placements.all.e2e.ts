import { computeNodes } from '@mainstay/contract/compute/nodes'
import { placements } from '@mainstay/contract/compute/placements'
import { expect } from '@playwright/test'
import { test } from '../support/test'

test.describe('operators', () => {
  test.use({ as: 'operator' })
  test('creates a placement and assigns it to nodes, flavors and images', async ({ page, expectAccessible }) => {
    await page.goto('/compute/placements')
    await page.getByRole('link', { name: 'Create placement' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create placement' })
    await form.getByLabel('Name').fill('silver')
    await form.getByLabel('Description').fill('Large disks')
    await form.getByRole('button', { name: 'Create placement' }).click()

    await page.getByRole('row', { name: 'silver', exact: true }).getByRole('link').click()
    const details = page.getByRole('dialog', { name: 'silver', exact: true })
    await expect(details).toContainText('Large disks')
    for (const [carriers, name] of [
      ['Nodes', 'simulated-1'],
      ['Flavors', 's1.micro'],
      ['Images', 'Alpine Linux'],
    ] as const) {
      await details.getByRole('link', { name: `${carriers} of “silver”` }).click()
      const choice = page.getByRole('dialog', { name: `${carriers} of “silver”` })
      await choice.getByRole('checkbox', { name, exact: true }).check()
      await choice.getByRole('button', { name: 'Save' }).click()
      await expect(choice).toBeHidden()
      await expect(details.getByText(name, { exact: true })).toBeVisible()
    }
    // move the pointer away from the notification, whose tooltip is outside every landmark
    await page.mouse.move(400, 600)
    await expectAccessible()
    await details.getByRole('button', { name: 'Actions for silver' }).click()
    await expect(page.getByRole('menuitem', { name: /Delete/ })).toHaveAttribute('aria-disabled', 'true')
    await page.keyboard.press('Escape')

    for (const carriers of ['Nodes', 'Flavors', 'Images']) {
      await details.getByRole('link', { name: `${carriers} of “silver”` }).click()
      const choice = page.getByRole('dialog', { name: `${carriers} of “silver”` })
      await choice.getByRole('checkbox', { checked: true }).uncheck()
      await choice.getByRole('button', { name: 'Save' }).click()
      await expect(choice).toBeHidden()
    }
    await details.getByRole('button', { name: 'Actions for silver' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete placement' }).click()
    await expect(page.getByRole('row', { name: 'silver', exact: true })).toBeHidden()
  })
})

test.describe('tenants', () => {
  test.use({ as: 'tenant' })
  test('selects a placement for a virtual machine, filters by it, and removes it', async ({
    page,
    playwright,
    server,
    signedIn,
    expectAccessible,
  }) => {
    const operator = await playwright.request.newContext({
      baseURL: server.adminUrl,
      storageState: await signedIn('operator'),
      extraHTTPHeaders: { 'x-requested-with': 'test' },
    })
    const at = placements.create.path
    const made = await operator.post(at, { data: { name: 'gold', description: 'Fast disks' } })
    const { id } = (await made.json()) as { id: string }
    const { data } = (await (await operator.get(computeNodes.list.path)).json()) as { data: { id: string }[] }
    await operator.put(`${at}/${id}/nodes`, { data: { ids: [data[0]!.id] } })
    await operator.dispose()

    await page.goto('/compute/instances/add')
    await page.getByLabel('Name').fill('placed')
    await page.getByRole('link', { name: 'Choose: Boot from' }).click()
    await page.getByRole('radio', { name: 'Alpine Linux', exact: true }).check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: /^Advanced/ }).click()
    await page.getByRole('group', { name: 'Placements' }).getByRole('checkbox', { name: 'gold' }).check()
    await expectAccessible()
    await page.getByRole('button', { name: 'Create virtual machine' }).click()
    await expect(page.getByRole('row', { name: 'placed', exact: true })).toBeVisible()

    await page.goto(`/compute/instances?traits=any:${id}`)
    await expect(page.getByText('Placement: gold')).toBeVisible()
    await expect(page.getByRole('row', { name: 'database', exact: true })).toBeHidden()
    await page.getByRole('row', { name: 'placed', exact: true }).getByRole('link').click()
    await page
      .getByRole('dialog', { name: 'placed', exact: true })
      .getByRole('link', { name: 'Edit placements' })
      .click()
    const edit = page.getByRole('dialog', { name: 'Edit placements for “placed”' })
    await edit.getByRole('checkbox', { name: 'gold', checked: true }).uncheck()
    await expectAccessible()
    await edit.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('dialog', { name: 'placed', exact: true })).not.toContainText('gold')
  })
})
