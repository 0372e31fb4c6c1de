import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { onlyPlainChoosers } from '../support/file-choosers'
import { test } from '../support/test'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })

async function choose(page: Page, name: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

test.use({ as: 'tenant' })
test.beforeEach(({ context }) => onlyPlainChoosers(context))

test('uploads files to a folder, downloads them unchanged, and deletes them with the bucket', async ({ page }) => {
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
  // until this heading appears, clicks would still act on the parent folder
  await expect(page.getByRole('heading', { name: 'letters' })).toBeVisible()

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

  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Buckets' }).click()
  await choose(page, 'journey-files', 'Delete bucket')
  const question = page.getByRole('alertdialog')
  await question.getByRole('textbox').fill('journey-files')
  await question.getByRole('button', { name: 'Delete bucket' }).click()
  await question.getByRole('button', { name: 'Empty and delete' }).click()
  await expect(row(page, 'journey-files')).toHaveCount(0)
})

test(
  'uploads a dropped folder completely, including empty folders and names with special characters',
  { tag: '@all' },
  async ({ page }, info) => {
    await page.goto('/s3-storage/buckets/add')
    const form = page.getByRole('dialog', { name: 'Create bucket' })
    await form.getByRole('textbox', { name: 'Name' }).fill('dropped-folder')
    await form.getByRole('button', { name: 'Create bucket' }).click()
    await row(page, 'dropped-folder').getByRole('link').click()
    await expect(page.getByText('This bucket is empty. Drop files here, or upload some.')).toBeVisible()

    const names = ['100% #1 + a&b?.txt', "it's [a] (b) {c};=,@$!~^`.txt", 'ünï 日本 🙂.txt', '%2F.txt', 'zero']
    const folder = info.outputPath('holiday photos')
    await mkdir(path.join(folder, 'nothing in it'), { recursive: true })
    await mkdir(path.join(folder, 'a+b', 'deep'), { recursive: true })
    for (const name of names) await writeFile(path.join(folder, 'a+b', 'deep', name), name === 'zero' ? '' : name)
    const { x, y, width, height } = (await page.locator('main').boundingBox())!
    const driver = await page.context().newCDPSession(page)
    const data = { items: [], files: [folder], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await driver.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data })
    await expect(page.getByRole('dialog', { name: '6 of 6 files uploaded' })).toBeVisible()

    const panel = page.getByRole('dialog', { name: '6 of 6 files uploaded' })
    await panel.getByRole('button', { name: 'Close' }).click()
    await row(page, 'holiday photos').getByRole('link').click()
    await row(page, 'nothing in it').getByRole('link').click()
    await expect(page.getByText('This folder is empty. Drop files here, or upload some.')).toBeVisible()
    await page.goBack()
    await row(page, 'a+b').getByRole('link').click()
    await row(page, 'deep').getByRole('link').click()
    for (const name of names) await expect(row(page, name)).toBeVisible()
    for (const name of names) {
      const saving = page.waitForEvent('download')
      await choose(page, name, 'Download')
      const saved = await saving
      expect((await readFile(await saved.path())).toString()).toBe(name === 'zero' ? '' : name)
    }
  },
)
