import { expect, type Page } from '@playwright/test'
import { goByMenu } from '../support/menu'
import { test } from '../support/test'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })
const question = (page: Page) => page.getByRole('alertdialog')

async function choose(page: Page, name: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

async function createVolume(page: Page, name: string) {
  await page.getByRole('link', { name: 'Create volume' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create volume' })
  await form.getByLabel('Name', { exact: true }).fill(name)
  await form.getByRole('textbox', { name: /^Size/ }).fill('1')
  await form.getByRole('button', { name: 'Create volume' }).click()
  await expect(row(page, name)).toContainText('Available')
}

test.use({ as: 'tenant' })

test('restores a volume from the notification and from the recycle bin, and deletes it permanently on request', async ({
  page,
}) => {
  await page.goto('/compute/volumes')
  await createVolume(page, 'mistake')

  // delete and undo from the notification
  await choose(page, 'mistake', 'Delete')
  await expect(question(page)).toContainText('You can restore it from the recycle bin for 7 days.')
  await question(page).getByRole('button', { name: 'Delete volume' }).click()
  // the notification stays while it has the focus
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.focus()
  await expect(row(page, 'mistake')).toHaveCount(0)
  await undo.click()
  await expect(row(page, 'mistake')).toContainText('Available')

  // delete and restore from the recycle bin
  await choose(page, 'mistake', 'Delete')
  await question(page).getByRole('button', { name: 'Delete volume' }).click()
  await expect(row(page, 'mistake')).toHaveCount(0)
  await goByMenu(page, 'Protection', 'Recycle bin')
  await expect(row(page, 'mistake')).toContainText('Can be restored')
  await expect(row(page, 'mistake')).toContainText('in 7 days')
  await expect(row(page, 'mistake')).toContainText('admin')
  await choose(page, 'mistake', 'Restore')
  await expect(row(page, 'mistake')).toHaveCount(0)
  await goByMenu(page, 'Storage')
  await expect(row(page, 'mistake')).toContainText('Available')

  // delete permanently from the recycle bin, which asks for the name
  await choose(page, 'mistake', 'Delete')
  await question(page).getByRole('button', { name: 'Delete volume' }).click()
  await goByMenu(page, 'Protection', 'Recycle bin')
  await choose(page, 'mistake', 'Delete permanently')
  const verb = question(page).getByRole('button', { name: 'Delete permanently' })
  await expect(verb).toBeDisabled()
  await question(page).getByRole('textbox').fill('mistake')
  await verb.click()
  await expect(row(page, 'mistake')).toHaveCount(0)

  // delete permanently without the recycle bin
  await goByMenu(page, 'Storage')
  await createVolume(page, 'at-once')
  await choose(page, 'at-once', 'Delete')
  await question(page).getByText('Skip the recycle bin and delete permanently').click()
  await expect(question(page)).toContainText('Permanent deletion cannot be undone.')
  await question(page).getByRole('button', { name: 'Delete volume' }).click()
  await expect(row(page, 'at-once')).toHaveCount(0)
  await goByMenu(page, 'Protection', 'Recycle bin')
  await expect(page.getByRole('heading', { name: 'Recycle bin' })).toBeVisible()
  await expect(row(page, 'at-once')).toHaveCount(0)
})

test(
  'moves a virtual machine to the recycle bin, shows its volumes there, and starts it again when it is restored',
  { tag: '@all' },
  async ({ page }) => {
    await page.goto('/compute/instances?name=database-replica')
    await choose(page, 'database-replica', 'Delete')
    await expect(question(page)).toContainText('You can restore it from the recycle bin for 7 days.')
    await expect(question(page)).toContainText('This IP address is released.')
    await question(page).getByRole('button', { name: 'Delete virtual machine' }).click()
    await expect(row(page, 'database-replica')).toHaveCount(0)
    await goByMenu(page, 'Protection', 'Recycle bin')
    await page.getByRole('link', { name: 'database-replica', exact: true }).click()
    const details = page.getByRole('dialog', { name: /database-replica/ })
    await expect(details).toContainText('database-replica-boot')
    await details.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Restore', exact: true }).click()
    await expect(details).toHaveCount(0)
    await page.goto('/compute/instances?name=database-replica')
    await expect(row(page, 'database-replica')).toContainText('Active')
  },
)
