import './themes/theme.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { I18n } from './i18n/I18n'
import { startLanguage } from './i18n/language'
import { loadTexts } from './i18n/use-t'
import { startTheme } from './session/domain-theme'
import { startSession } from './session/start-session'
import { Start } from './Start'

const themed = startTheme()
await Promise.all([startLanguage().then(() => loadTexts('shell')), startSession()])

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <I18n>
        <Start themed={themed} />
      </I18n>
    </StrictMode>,
  )
