import type { ReactElement } from 'react'
import { render } from '@testing-library/react'
import { I18n } from '../i18n/I18n'

/** Renders primitives with their words, in the present language. For whole pages there is renderPage. */
export const renderUi = (element: ReactElement) => render(element, { wrapper: I18n })
