import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, fireEvent, screen } from '@testing-library/react'
import { Suspense, use, useState } from 'react'
import { expect, test } from 'vitest'
import { renderUi } from '../testing/render-ui'
import { DrawerPage } from './DrawerPage'

const view = {
  data: { name: 'Telescope' },
  ...{
    isLoading: false,
    isReloading: false,
    problem: undefined,
    staleSince: undefined,
    isGone: false,
    reload: () => undefined,
  },
}
const tabs = ['properties', 'members'].map((id) => ({ id, label: id }))

test('keeps the focus on a tab while its content is loading', async () => {
  let arrive: (text: string) => void = () => undefined
  const texts = new Promise<string>((resolve) => (arrive = resolve))
  const Members = () => <p>{use(texts)}</p>

  function Project() {
    const [selected, setSelected] = useState('properties')
    const to = (id: string) => {
      setSelected(id)
      return '/'
    }
    return (
      <DrawerPage
        view={view}
        what="Project"
        title={({ name }) => name}
        closeTo="/"
        tabs={{ items: tabs, selected, to }}
      >
        {() => (selected === 'members' ? <Members /> : <p>none</p>)}
      </DrawerPage>
    )
  }
  const component = () => (
    <Suspense fallback="the page is gone">
      <Project />
    </Suspense>
  )
  const router = createRouter({ routeTree: createRootRoute({ component }), history: createMemoryHistory() })
  renderUi(<RouterProvider router={router} />)
  const properties = await screen.findByRole('tab', { name: 'properties' })
  act(() => properties.focus())
  fireEvent.keyDown(properties, { key: 'ArrowRight' })
  const members = await screen.findByRole('tab', { name: 'members', selected: true })
  expect(members).toBe(document.activeElement)
  expect(members.closest('[style*="display: none"]')).toBeNull()
  expect(screen.queryByText('the page is gone')).toBeNull()
  await act(async () => arrive('Ada'))
  await screen.findByText('Ada')
  expect(members).toBe(document.activeElement)
})
