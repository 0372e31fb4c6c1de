import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { openPage, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

withPages()
afterEach(() => sessionStorage.clear())

const words = /Virtual machines do not really run/

it(
  'shows the simulation banner on every page until the user closes it, then hides it for the lifetime of the tab',
  { tags: 'all' },
  async () => {
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
  },
)
