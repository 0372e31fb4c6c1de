import './themes/theme.css'
import { StrictMode, Suspense, lazy } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from '@tanstack/react-router'
import { I18n } from './i18n/I18n'
import { startLanguage } from './i18n/language'
import { loadTexts } from './i18n/use-t'
import { buildRouter } from './nav/build-router'
import { followSession } from './nav/follow-session'
import { routes } from './routes'
import { startSession } from './session/start-session'
import { PageFault } from './shell/PageFault'
import { PageSpinner } from './shell/PageSpinner'
import { Root } from './shell/Root'
import { shellRedirects } from './shell/routes'

const NotFound = lazy(() => import('./shell/errors/NotFoundPage'))

await Promise.all([startLanguage().then(() => loadTexts('shell')), startSession()])

const router = buildRouter(
  {
    root: Root,
    loadFrame: () => import('./shell/Frame'),
    notFound: NotFound as never,
    fault: PageFault,
    pending: PageSpinner,
  },
  routes,
  shellRedirects,
)
followSession(router)

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <Suspense>
        <I18n>
          <RouterProvider router={router} />
        </I18n>
      </Suspense>
    </StrictMode>,
  )
