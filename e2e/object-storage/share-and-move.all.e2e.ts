import { execFileSync } from 'node:child_process'
import { expect, type Page } from '@playwright/test'
import { onlyPlainChoosers } from '../support/file-choosers'
import { test } from '../support/test'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })

async function choose(page: Page, name: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}
async function createFolder(page: Page, name: string) {
  await page.getByRole('link', { name: 'Create folder' }).click()
  const folder = page.getByRole('dialog', { name: 'Create folder' })
  await folder.getByRole('textbox', { name: 'Name' }).fill(name)
  await folder.getByRole('button', { name: 'Create folder' }).click()
  await expect(row(page, name)).toBeVisible()
}
async function upload(page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]) {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload files' }).click()
  await (await choosing).setFiles(files)
  const count = files.length
  const dialog = page.getByRole('dialog', { name: `${count} of ${count} file` })
  await dialog.getByRole('button', { name: 'Close' }).last().click()
}

test.use({ as: 'tenant' })
test.beforeEach(({ context }) => onlyPlainChoosers(context))

test('shares files, downloads a folder as a ZIP file, moves and renames, and does not run scripts in files', async ({
  page,
  playwright,
}) => {
  await page.goto('/s3-storage/access/create-key')
  const key = page.getByRole('dialog', { name: 'Create key' })
  await key.getByRole('textbox', { name: 'Name' }).fill('for links')
  await key.getByRole('button', { name: 'Create key' }).click()
  const made = page.getByRole('dialog', { name: 'Access key created' })
  await made.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'I have saved it' }).click()

  await page.goto('/s3-storage/buckets/add')
  const form = page.getByRole('dialog', { name: 'Create bucket' })
  await form.getByRole('textbox', { name: 'Name' }).fill('journey-share')
  await form.getByRole('button', { name: 'Create bucket' }).click()
  await row(page, 'journey-share').getByRole('link').click()
  await createFolder(page, 'letters')
  await createFolder(page, 'archive')
  await row(page, 'letters').getByRole('link').click()
  // until this heading appears, clicks would still act on the parent folder
  await expect(page.getByRole('heading', { name: 'letters' })).toBeVisible()
  const html = '<script>document.title = "run"; window.ran = true</script>'
  await upload(
    page,
    { name: 'a b+c.txt', mimeType: 'text/plain', buffer: Buffer.from('shared text') },
    { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(html) },
  )

  await row(page, 'page.html').getByRole('link').click()
  await expect(page.getByText(html)).toBeVisible()
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  await choose(page, 'a b+c.txt', 'Share link')
  const share = page.getByRole('dialog', { name: 'Share “a b+c.txt”' })
  await share.getByRole('radio', { name: 'In 7 days' }).click()
  await share.getByRole('button', { name: 'Create link' }).click()
  const link = await share.getByRole('textbox', { name: 'Link', exact: true }).inputValue()
  // a client without a session
  const stranger = await playwright.request.newContext()
  expect(await (await stranger.get(link)).text()).toBe('shared text')
  expect((await stranger.get(link.replace('a%20b%2Bc.txt', 'page.html'))).status()).toBe(403)
  await stranger.dispose()
  await share.getByRole('button', { name: 'Close' }).last().click()

  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'journey-share' }).click()
  const saving = page.waitForEvent('download')
  await choose(page, 'letters', 'Download as ZIP')
  const saved = await saving
  expect(saved.suggestedFilename()).toBe('letters.zip')
  const file = await saved.path()
  const listed = execFileSync('python3', [
    '-c',
    'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip(), sorted(z.namelist()))',
    file,
  ])
  expect(String(listed).trim()).toBe("None ['letters/', 'letters/a b+c.txt', 'letters/page.html']")

  await choose(page, 'letters', 'Move to')
  const move = page.getByRole('dialog', { name: 'Move “letters”' })
  await move.getByRole('textbox', { name: 'Folder' }).fill('archive')
  await move.getByRole('button', { name: 'Move' }).click()
  await expect(page.getByText('Files moved from “journey-share/letters/”').first()).toBeVisible()
  await expect(row(page, 'letters')).toHaveCount(0)

  await page.getByRole('button', { name: 'Enter path' }).click()
  await page.getByRole('textbox', { name: 'Path' }).fill('archive/letters')
  await page.getByRole('button', { name: 'Go to folder' }).click()
  await choose(page, 'a b+c.txt', 'Rename')
  const rename = page.getByRole('dialog', { name: 'Rename “a b+c.txt”' })
  await rename.getByRole('textbox', { name: 'New name' }).fill('page.html')
  await rename.getByRole('button', { name: 'Rename' }).click()
  await expect(rename.getByText('A file with this name already exists.')).toBeVisible()
  await rename.getByRole('textbox', { name: 'New name' }).fill('renamed.txt')
  await rename.getByRole('button', { name: 'Rename' }).click()
  await expect(row(page, 'renamed.txt')).toBeVisible()
  await expect(row(page, 'a b+c.txt')).toHaveCount(0)
})
