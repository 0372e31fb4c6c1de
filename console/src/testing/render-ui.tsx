import type { ReactElement } from 'react'
import { render } from '@testing-library/react'
import { I18n } from '../i18n/I18n'

/** Renders primitives with their strings in the current language. Use `renderPage` for whole pages. */
export const renderUi = (element: ReactElement) => render(element, { wrapper: I18n })
