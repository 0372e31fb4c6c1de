import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { test } from '../support/test'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })

async function choose(page: Page, name: string, action: string) {
  await page.getByRole('button', { name: `Actions of ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

test.use({ as: 'tenant' })

test('files go into a folder of a bucket, come back as they were, and go with the bucket', async ({ page }) => {
  await page.goto('/s3-storage')
  await page.getByRole('link', { name: 'Create bucket' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create bucket' })
  await form.getByRole('textbox', { name: 'Name' }).fill('journey-files')
  await form.getByRole('button', { name: 'Create bucket' }).click()
  await row(page, 'journey-files').getByRole('link').click()

  await page.getByRole('link', { name: 'Create folder' }).click()
  const folder = page.getByRole('dialog', { name: 'Create folder' })
  await folder.getByRole('textbox', { name: 'Name' }).fill('letters')
  await folder.getByRole('button', { name: 'Create folder' }).click()
  await row(page, 'letters').getByRole('link').click()

  const bytes = Buffer.from('first line\r\nsecond: \u00e4 \u65e5\u672c\n')
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload files' }).click()
  await (
    await choosing
  ).setFiles([
    { name: 'a b+c.txt', mimeType: 'text/plain', buffer: bytes },
    { name: 'zeros.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(1024 ** 2) },
  ])
  const uploads = page.getByRole('dialog', { name: '2 of 2 files uploaded' })
  await uploads.getByRole('button', { name: 'Close' }).last().click()
  await expect(row(page, 'zeros.bin')).toBeVisible()

  const saving = page.waitForEvent('download')
  await choose(page, 'a b+c.txt', 'Download')
  const saved = await saving
  expect(saved.suggestedFilename()).toBe('a b+c.txt')
  expect((await readFile(await saved.path())).equals(bytes)).toBe(true)

  await choose(page, 'zeros.bin', 'Delete file')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete file' }).click()
  await expect(row(page, 'zeros.bin')).toHaveCount(0)

  await page.getByRole('navigation', { name: 'Where you are' }).getByRole('link', { name: 'Buckets' }).click()
  await choose(page, 'journey-files', 'Delete bucket')
  const question = page.getByRole('alertdialog')
  await question.getByRole('textbox').fill('journey-files')
  await question.getByRole('button', { name: 'Delete bucket' }).click()
  await question.getByRole('button', { name: 'Empty and delete' }).click()
  await expect(row(page, 'journey-files')).toHaveCount(0)
})
