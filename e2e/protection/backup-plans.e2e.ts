import { expect, type Page } from '@playwright/test'
import { test } from '../support/test'

const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name })

test.use({ as: 'tenant' })

test('a plan protects a volume, runs now, and the volume is restored from its recovery point [UI-009] [UI-032]', async ({
  page,
}) => {
  await page.goto('/compute/backup-plans')
  await page.getByRole('link', { name: 'Create backup plan' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('journey-plan')
  await page.getByRole('radio', { name: /^Daily, keep 14/ }).check({ force: true })
  await expect(page.getByText(/^Every day at/).first()).toBeVisible()
  await page.getByRole('button', { name: 'Create backup plan' }).click()

  // a new plan opens with its volumes
  await expect(page.getByRole('heading', { level: 1, name: 'journey-plan' })).toBeVisible()
  await page
    .getByRole('link', { name: 'Add volumes' })
    .or(page.getByRole('button', { name: 'Add volumes' }))
    .first()
    .click()
  const drawer = page.getByRole('dialog', { name: 'Add volumes to “journey-plan”' })
  await drawer.getByRole('checkbox', { name: /media/ }).check({ force: true })
  await drawer.getByRole('button', { name: /^Add/ }).click()
  await expect(page.getByRole('link', { name: 'media' })).toBeVisible()

  await page.getByRole('button', { name: 'Run now' }).click()
  await page
    .getByRole('tab', { name: 'Overview' })
    .or(page.getByRole('link', { name: 'Overview' }))
    .last()
    .click()
  await expect(page.getByText('1 recovery point created').first()).toBeVisible({ timeout: 20_000 })

  await page.getByRole('link', { name: 'Show recovery points' }).click()
  const point = row(page, /manual-journey-plan/)
  await expect(point).toContainText('Available')
  await expect(point).toContainText('media')
  await point.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Restore', exact: true }).click()
  const form = page.getByRole('dialog', { name: /^Restore recovery point/ })
  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('media-restored')
  await form.getByRole('button', { name: 'Restore to a new volume' }).click()
  await page.goto('/compute/volumes')
  await expect(row(page, 'media-restored')).toContainText('Available')
})
