import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { openPage, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

withPages()
afterEach(() => sessionStorage.clear())

const words = /nothing here really runs/

it('that the hypervisor is simulated stands over every page until it is closed, and then as long as the tab is there', async () => {
  await openPage('/tasks', 'project-member')
  const banner = (await screen.findByText(words, {}, pageTimeout)).closest<HTMLElement>('[role=status]')!
  fireEvent.click(within(banner).getByRole('button', { name: 'Hide this message' }))
  expect(screen.queryByText(words)).toBeNull()

  await openPage('/compute/ssh-keys', 'project-member')
  await screen.findByRole('heading', { level: 1 }, pageTimeout)
  expect(screen.queryByText(words)).toBeNull()

  sessionStorage.clear()
  await openPage('/compute/ssh-keys', 'project-member')
  expect(await screen.findByText(words, {}, pageTimeout)).toBeTruthy()
})
