import { Buffer } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { press, tabTo } from '../support/keyboard'
import { test } from '../support/test'

/** Returns a disk that contains only a boot signature, which is the minimum for a valid image. */
function disk(sizeBytes = 1024 * 1024): Buffer {
  const bytes = Buffer.alloc(sizeBytes)
  bytes[510] = 0x55
  bytes[511] = 0xaa
  return bytes
}
const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer })

const form = (page: Page) => page.getByRole('dialog', { name: 'Add image' })

async function upload(page: Page, name: string, buffer = disk()) {
  await page.getByRole('link', { name: 'Add image' }).first().click()
  await form(page).locator('input[type=file]').setInputFiles(file(name, buffer))
  await form(page).getByRole('button', { name: 'Add image' }).click()
}

/**
 * Limits the browser's upload speed so that a test can inspect an upload in progress. Returns a function that changes
 * the limit.
 */
async function sendSlowly(page: Page, bytesPerSecond: number) {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const send = (uploadThroughput: number) =>
    client.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput },
    })
  await send(bytesPerSecond)
  return send
}

test.use({ as: 'admin' })
test.beforeEach(async ({ page }) => {
  await page.goto('/compute/images')
  await expect(page.getByRole('heading', { name: 'Images' })).toBeVisible()
})

test('uploads, shows, edits, downloads and deletes an image [UI-028]', async ({ page }) => {
  const bytes = disk()
  await upload(page, 'tiny-alpine.raw', bytes)
  const row = page.getByRole('row', { name: 'tiny-alpine' })
  await expect(row).toContainText('Active')
  await expect(row).toContainText('Alpine Linux')

  await row.getByRole('link', { name: 'tiny-alpine' }).click()
  const details = page.getByRole('dialog', { name: 'tiny-alpine', exact: true })
  await expect(page).toHaveURL(/\/compute\/images\/(?!add$)[^/]+$/)
  await expect(details).toContainText('SHA-256')
  await details.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit image “tiny-alpine”' })
  await edit.getByLabel('Name', { exact: true }).fill('small-alpine')
  await edit.getByRole('button', { name: 'Save image' }).click()
  await expect(row).toHaveCount(0)
  const renamed = page.getByRole('dialog', { name: 'small-alpine', exact: true })
  await expect(renamed).toBeVisible()

  const downloading = page.waitForEvent('download')
  await renamed.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Download' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('small-alpine.raw')
  expect((await readFile(await download.path())).equals(bytes)).toBe(true)

  await renamed.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete image' }).click()
  await expect(renamed).toBeHidden()
  await expect(page.getByRole('row', { name: 'small-alpine' })).toHaveCount(0)
})

test(
  'an upload shows its progress, waits for the previous upload, warns before the page is left, and can be cancelled [UI-103]',
  { tag: '@all' },
  async ({ page }) => {
    // slow enough that the upload lasts for the whole test, even on a slow machine
    const setSpeed = await sendSlowly(page, 64 * 1024)
    await upload(page, 'large.raw', disk(8 * 1024 * 1024))
    await upload(page, 'waiting.raw')
    const corner = page.getByRole('region', { name: 'Notifications' })
    await expect(corner.getByText('Uploading large')).toBeVisible()
    await expect(corner.getByRole('progressbar', { name: 'Uploading large' })).toBeVisible()
    await expect(corner.getByText('Waiting to upload waiting')).toBeVisible()
    await expect(page.getByRole('row', { name: 'large' })).toContainText('Uploading')

    const asked = page.waitForEvent('dialog')
    const leaving = page.close({ runBeforeUnload: true })
    const question = await asked
    expect(question.type()).toBe('beforeunload')
    await question.dismiss()
    await leaving

    await corner.getByRole('button', { name: 'Cancel upload' }).first().click()
    await setSpeed(-1)
    await expect(corner.getByText('Upload of large cancelled')).toBeVisible()
    await expect(page.getByRole('row', { name: 'large' })).toHaveCount(0)
    await expect(page.getByRole('row', { name: 'waiting' })).toContainText('Active')
  },
)

test('shows why a protected image cannot be deleted', { tag: '@all' }, async ({ page }) => {
  await page.getByRole('link', { name: 'Debian 13', exact: true }).click()
  await page
    .getByRole('dialog', { name: 'Debian 13', exact: true })
    .getByRole('button', { name: /^Actions for/ })
    .click()
  // the image belongs to another project, so the menu has no actions that change it
  await expect(page.getByRole('menuitem', { name: 'Create volume' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Debian 13', exact: true }).getByRole('button', { name: 'Close' }).click()

  await page.getByRole('link', { name: 'Add image' }).first().click()
  await form(page).locator('input[type=file]').setInputFiles(file('keep.raw', disk()))
  await form(page).getByRole('checkbox', { name: 'Protect from deletion' }).check({ force: true })
  await form(page).getByRole('button', { name: 'Add image' }).click()
  const row = page.getByRole('row', { name: 'keep' })
  await expect(row).toContainText('Protected')
  await row.getByRole('button', { name: 'Actions for keep' }).click()
  const item = page.getByRole('menuitem', { name: /Delete/ })
  await expect(item).toBeDisabled()
  await expect(item).toContainText('The image is protected from deletion. Remove the protection first.')
})

test('uploads a file using only the keyboard', { tag: '@all' }, async ({ page }) => {
  await press(page.getByRole('link', { name: 'Add image' }).first())
  await expect(form(page)).toBeVisible()
  // on a busy machine, the button may not be ready for the first key press
  await expect(async () => {
    await tabTo(form(page).getByRole('button', { name: 'Choose file' }))
    const choosing = page.waitForEvent('filechooser', { timeout: 5_000 })
    await page.keyboard.press('Enter')
    await (await choosing).setFiles(file('by-keyboard.raw', disk()))
  }).toPass()
  await expect(form(page).getByLabel('Name', { exact: true })).toHaveValue('by-keyboard')
  await expect(form(page).getByRole('button', { name: 'Remove by-keyboard.raw' })).toBeFocused()
  await press(form(page).getByRole('button', { name: 'Add image' }))
  await expect(page.getByRole('row', { name: 'by-keyboard' })).toContainText('Active')
})

test('the image form passes axe with all of its fields shown', { tag: '@all' }, async ({ page, expectAccessible }) => {
  await page.goto('/compute/images/add')
  await form(page)
    .getByRole('button', { name: /^Advanced/ })
    .click()
  await expectAccessible()
  await page.setViewportSize({ width: 360, height: 740 })
  await expectAccessible()
})
