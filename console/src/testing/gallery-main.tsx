import '../themes/theme.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { I18n } from '../i18n/I18n'
import { startLanguage } from '../i18n/language'
import { Gallery } from './gallery/Gallery'

await startLanguage()
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <I18n>
        <Gallery />
      </I18n>
    </StrictMode>,
  )
