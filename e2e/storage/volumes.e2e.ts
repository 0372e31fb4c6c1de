import { expect, type Page } from '@playwright/test'
import { press, tabTo } from '../support/keyboard'
import { markRows } from '../support/rows'
import { test } from '../support/test'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })

async function choose(page: Page, volume: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${volume}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

async function createVolume(page: Page, name: string, gib: number) {
  await page.getByRole('link', { name: 'Create volume' }).first().click()
  const form = dialog(page, 'Create volume')
  await form.getByLabel('Name', { exact: true }).fill(name)
  await form.getByRole('textbox', { name: /^Size/ }).fill(String(gib))
  await form.getByRole('button', { name: 'Create volume' }).click()
  await expect(row(page, name)).toContainText('Available')
}

test.use({ as: 'tenant' })
test.beforeEach(async ({ page }) => {
  await page.goto('/compute/volumes')
  await expect(row(page, 'media')).toBeVisible()
})

test('creates, attaches, extends, detaches and deletes a volume without reloading [UI-008]', async ({ page }) => {
  await createVolume(page, 'journey', 2)

  await choose(page, 'journey', 'Attach volume')
  const attach = dialog(page, 'Attach volume “journey”')
  await attach.getByRole('combobox', { name: 'Virtual machine' }).fill('web-1')
  await page.getByRole('option', { name: 'web-1' }).click()
  await attach.getByRole('button', { name: 'Attach volume' }).click()
  await expect(row(page, 'journey')).toContainText('In use')
  await expect(row(page, 'journey').getByRole('link', { name: 'web-1' })).toBeVisible()

  await choose(page, 'journey', 'Extend volume')
  const extend = dialog(page, 'Extend volume “journey”')
  await extend.getByRole('textbox', { name: /^New size/ }).fill('2')
  await extend.getByRole('button', { name: 'Extend volume' }).click()
  await expect(extend.getByText(/Enter a size larger than 2.GiB/)).toBeVisible()
  await extend.getByRole('textbox', { name: /^New size/ }).fill('5')
  await extend.getByRole('button', { name: 'Extend volume' }).click()
  await expect(row(page, 'journey')).toContainText(/5.GiB/)

  await choose(page, 'journey', 'Detach volume')
  const question = page.getByRole('alertdialog', { name: 'Detach volume “journey” from “web-1”?' })
  await expect(question).toContainText('Unmount the volume’s file systems in the virtual machine first.')
  await question.getByRole('button', { name: 'Detach volume' }).click()
  await expect(row(page, 'journey')).toContainText('Available')

  await choose(page, 'journey', 'Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete volume' }).click()
  await expect(row(page, 'journey')).toHaveCount(0)
})

test(
  "sets a volume's size to the minimum for its image, and warns about an exceeded quota as the size changes",
  { tag: '@all' },
  async ({ page }) => {
    await page.getByRole('link', { name: 'Create volume' }).first().click()
    const form = dialog(page, 'Create volume')
    await form.getByRole('radio', { name: /^Image/ }).check({ force: true })
    await form.getByRole('combobox', { name: 'Image' }).fill('windows')
    await page.getByRole('option', { name: /Windows Server 2022/ }).click()
    await expect(form.getByLabel('Name', { exact: true })).toHaveValue('Windows Server 2022')
    await expect(form.getByRole('textbox', { name: /^Size/ })).toHaveValue('32')
    await form.getByRole('textbox', { name: /^Size/ }).fill('9000')
    await expect(form.getByText(/over the limit/)).toBeVisible()
    await form.getByRole('button', { name: 'Create volume' }).click()
    await expect(form.getByText(/quota/i).first()).toBeVisible()
  },
)

test('deletes several volumes at once, and shows why others cannot be deleted', { tag: '@all' }, async ({ page }) => {
  await createVolume(page, 'many-1', 1)
  await createVolume(page, 'many-2', 1)
  await markRows(page, 'many-1', 'many-2', 'database-boot')
  await page.getByRole('button', { name: 'Delete 2', exact: true }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete 2 volumes?' })
  await expect(question).toContainText('The volume is attached. Detach it first.')
  await question.getByRole('button', { name: 'Delete 2 volumes' }).click()
  await expect(row(page, 'many-1')).toHaveCount(0)
  await expect(row(page, 'database-boot')).toBeVisible()
})

test(
  'shows a lock in every open list, skips locked volumes in bulk deletions, and deletes them after unlocking',
  { tag: '@all' },
  async ({ page, context, expectAccessible }) => {
    await createVolume(page, 'archive', 1)
    await createVolume(page, 'attic', 1)
    const other = await context.newPage()
    await other.goto('/compute/volumes')
    await expect(row(other, 'archive')).toBeVisible()

    await choose(page, 'archive', 'Lock against deletion')
    const lock = page.getByRole('alertdialog', { name: 'Lock volume “archive” against deletion?' })
    await expectAccessible()
    await tabTo(lock.getByRole('textbox', { name: /^Reason/ }))
    await page.keyboard.type('month-end figures')
    await press(lock.getByRole('button', { name: 'Lock against deletion' }))
    await expect(lock).toBeHidden()
    for (const list of [page, other]) await expect(row(list, 'archive')).toContainText('Locked against deletion')
    await other.close()

    await markRows(page, 'archive', 'attic')
    await page.getByRole('button', { name: 'Delete 1', exact: true }).click()
    const many = page.getByRole('alertdialog', { name: 'Delete 1 volume?' })
    await expect(many).toContainText(/Locked against deletion by .+\. Remove the lock first\./)
    await many.getByRole('button', { name: 'Delete 1 volume' }).click()
    await expect(row(page, 'attic')).toHaveCount(0)

    await row(page, 'archive').getByRole('link').first().click()
    const details = dialog(page, 'archive')
    await expect(details).toContainText('month-end figures')
    await details.getByRole('button', { name: 'Remove lock' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove lock' }).click()
    await expect(details).toContainText('Not locked')
    await details.press('Escape')

    await choose(page, 'archive', 'Delete')
    const question = page.getByRole('alertdialog', { name: 'Delete volume “archive”?' })
    await expect(question).toContainText(/The volume’s data \(1.GiB\) is kept until the volume is permanently deleted/)
    await question.getByRole('button', { name: 'Delete volume' }).click()
    await expect(row(page, 'archive')).toHaveCount(0)
  },
)

test('turns typed filters into chips and keeps them after a reload', { tag: '@all' }, async ({ page }) => {
  await page.getByRole('combobox', { name: /^Search/ }).fill('attached:no status:available ')
  await expect(page).toHaveURL(/attached=in:false/)
  await expect(row(page, 'media')).toBeVisible()
  await expect(row(page, 'database-boot')).toHaveCount(0)
  await page.reload()
  await expect(row(page, 'media')).toBeVisible()
  await expect(page.getByText('Attached:')).toBeVisible()
  await page.getByRole('button', { name: 'Reset filters' }).click()
  await expect(row(page, 'database-boot')).toBeVisible()
})

test('creates and attaches a volume using only the keyboard', { tag: '@all' }, async ({ page }) => {
  await press(page.getByRole('link', { name: 'Create volume' }).first())
  const form = dialog(page, 'Create volume')
  await tabTo(form.getByLabel('Name', { exact: true }))
  await page.keyboard.type('by-keyboard')
  await tabTo(form.getByRole('textbox', { name: /^Size/ }))
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(row(page, 'by-keyboard')).toContainText(/2.GiB/)
  // the volume cannot be attached before it is available
  await expect(row(page, 'by-keyboard')).toContainText('Available')

  await row(page, 'by-keyboard').focus()
  await press(page.getByRole('button', { name: 'Actions for by-keyboard' }))
  await expect(page.getByRole('menuitem', { name: 'Attach volume' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Virtual machine' })).toBeFocused()
  await page.keyboard.type('web-2')
  await expect(page.getByRole('option')).toHaveCount(1)
  // options found for an earlier search text are disabled
  await expect(page.getByRole('option', { name: 'web-2' })).toBeEnabled()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('option', { name: 'web-2' })).toHaveAttribute('data-focused', 'true')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Virtual machine' })).toHaveValue('web-2')
  await press(page.getByRole('dialog').getByRole('button', { name: 'Attach volume' }))
  await expect(row(page, 'by-keyboard')).toContainText('web-2')
})

test('the dialog for extending a volume passes axe', { tag: '@all' }, async ({ page, expectAccessible }) => {
  await page.getByRole('link', { name: 'media', exact: true }).click()
  await expect(dialog(page, 'media')).toContainText('Storage policy')
  await dialog(page, 'media')
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Extend volume' }).click()
  await expect(dialog(page, 'Extend volume “media”')).toBeVisible()
  await expectAccessible()
})

test('the task list shows new tasks without a reload', { tag: '@all' }, async ({ page, context }) => {
  const second = await context.newPage()
  await second.goto('/tasks')
  await createVolume(page, 'for-the-list', 1)
  await expect(second.getByText('Volume “for-the-list” created')).toBeVisible()
  await second.close()
  await page.goto('/tasks')
  await expect(page.getByText('Volume “for-the-list” created')).toBeVisible()
})
