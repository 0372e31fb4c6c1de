import { act, screen } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import { loadTexts } from '../../i18n/use-t'
import { setSession } from '../../session/session'
import { renderUi } from '../../testing/render-ui'
import { SignInCard } from './SignInCard'

beforeAll(() => loadTexts('shell'))

it('labels only the admin panel’s sign-in page', () => {
  setSession({ panel: { panel: 'admin', version: '' } })
  renderUi(<SignInCard title="Sign in">{null}</SignInCard>)
  expect(screen.getByText('Administration')).toBeDefined()
  act(() => setSession({ panel: { panel: 'self-service', version: '' } }))
  expect(screen.queryByText('Administration')).toBeNull()
})
