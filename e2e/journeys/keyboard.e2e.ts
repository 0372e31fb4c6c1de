import { expect, type Page } from '@playwright/test'
import { choose, press, refuseMouse, tabTo } from '../support/keyboard'
import { adminPassword } from '../support/server'
import { test } from '../support/test'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })

// other journeys use the keyboard in narrow windows: whole-life.e2e.ts, networks.e2e.ts and people.e2e.ts
test('signs in, and creates, uses and deletes a virtual machine using only the keyboard', async ({ page }) => {
  await refuseMouse(page)
  const { keyboard } = page
  const name = 'keys-only'

  await test.step('sign in and choose a project', async () => {
    await page.goto('/login?redirectUrl=/compute/instances')
    await tabTo(page.getByLabel('Username'))
    await keyboard.type('admin')
    await tabTo(page.getByLabel('Password', { exact: true }))
    await keyboard.type(adminPassword)
    await keyboard.press('Enter')
    await expect(page.getByRole('heading', { level: 1, name: 'Virtual machines' })).toBeVisible()
    const chooser = page.getByRole('button', { name: /^Project:/ })
    if (!(await chooser.getAttribute('aria-label'))?.endsWith('demo')) {
      await press(chooser)
      await expect(page.getByRole('dialog').getByRole('searchbox')).toBeFocused()
      await press(page.getByRole('dialog').getByRole('button', { name: /^demo/ }))
    }
    await expect(row(page, 'database')).toBeVisible()
  })

  await test.step('create a virtual machine with the wizard', async () => {
    await press(page.getByRole('link', { name: 'Create virtual machine' }))
    await tabTo(page.getByLabel('Name'))
    await keyboard.type(name)
    await press(page.getByRole('link', { name: 'Choose: Boot from' }))
    await tabTo(page.getByRole('radio', { name: 'Alpine Linux' }))
    await keyboard.press('Space')
    await press(page.getByRole('button', { name: 'Done' }))
    await press(page.getByRole('button', { name: 'Create virtual machine' }))
    await expect(row(page, name)).toContainText('Active')
  })

  await test.step('find it with the filter and open its details', async () => {
    await keyboard.press('/')
    await expect(page.getByRole('combobox', { name: /^Search/ })).toBeFocused()
    await keyboard.type(name)
    await keyboard.press('Enter')
    await expect(row(page, 'database')).toBeHidden()
    await tabTo(row(page, name))
    await keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name, exact: true })
    await expect(drawer).toContainText('CPU usage')
    await tabTo(drawer.getByRole('tab', { name: 'Overview' }))
    await keyboard.press('ArrowRight')
    await expect(drawer.getByRole('tab', { selected: true })).not.toHaveText('Overview')
    await keyboard.press('Escape')
    await expect(drawer).toBeHidden()
    await expect(row(page, name)).toBeFocused()
  })

  await test.step('power it off from its row menu', async () => {
    await keyboard.press('Shift+F10')
    await choose(page, 'Power')
    await choose(page, 'Power off')
    const question = page.getByRole('alertdialog', { name: `Power off “${name}”?` })
    await press(question.getByRole('button', { name: 'Power off' }))
    await expect(row(page, name)).toContainText('Shut down')
  })

  await test.step('open it from the command palette and rename it', async () => {
    await keyboard.press('Control+k')
    await keyboard.type(name)
    await expect(page.getByRole('option', { name: new RegExp(name) }).first()).toBeVisible()
    await keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name, exact: true })
    await press(drawer.getByRole('link', { name: 'Edit Name' }))
    const form = page.getByRole('dialog', { name: `Rename “${name}”` })
    await expect(form.getByLabel('Name')).toBeFocused()
    await keyboard.press('Control+a')
    await keyboard.type(`${name}-renamed`)
    await keyboard.press('Enter')
    const renamed = page.getByRole('dialog', { name: `${name}-renamed`, exact: true })
    await expect(form).toBeHidden()
    await expect.poll(() => renamed.evaluate((it) => it.contains(document.activeElement))).toBe(true)
    await keyboard.press('Escape')
    await expect(renamed).toBeHidden()
  })

  await test.step('delete it with the bulk action', async () => {
    await tabTo(row(page, `${name}-renamed`))
    await keyboard.press('Space')
    await press(page.getByRole('toolbar').getByRole('button', { name: 'Delete' }))
    const question = page.getByRole('alertdialog')
    await press(question.getByRole('button', { name: /^Delete/ }))
    await expect(row(page, `${name}-renamed`)).toBeHidden()
    await expect(question).toBeHidden()
  })

  await test.step('open the notifications and sign out', async () => {
    await press(page.getByRole('button', { name: /^Notifications/ }))
    await expect(page.getByRole('dialog')).toContainText(name)
    await keyboard.press('Escape')
    await press(page.getByRole('button', { name: 'Account menu: admin' }))
    await choose(page, 'Sign out')
    await expect(page.getByLabel('Username')).toBeVisible()
  })
})
