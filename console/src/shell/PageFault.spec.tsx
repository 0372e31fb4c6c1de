import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { CallProblem } from '../api/problem'
import { loadTexts } from '../i18n/use-t'
import { renderUi } from '../testing/render-ui'
import { PageFault } from './PageFault'

beforeAll(() => loadTexts('shell'))
afterEach(() => vi.unstubAllGlobals())

it('a page that cannot be loaded says why, with the id to give to support, and can be loaded anew [ER-023]', () => {
  const reload = vi.fn()
  const { pathname, search, hash, origin } = location
  vi.stubGlobal('location', { pathname, search, hash, origin, reload })
  const message = 'The quota could not be read'
  const error = new CallProblem({ kind: 'validation', status: 409, code: 'conflict', message, requestId: 'req-17' })
  renderUi(<PageFault error={error} />)
  const panel = within(screen.getByRole('alert'))
  expect(panel.getByRole('heading', { name: 'The page could not be loaded' })).toBeTruthy()
  expect(panel.getByText(message)).toBeTruthy()
  expect(panel.getByText('req-17')).toBeTruthy()
  expect(reload).not.toHaveBeenCalled()
  fireEvent.click(panel.getByRole('button', { name: 'Retry' }))
  expect(reload).toHaveBeenCalledOnce()
})
