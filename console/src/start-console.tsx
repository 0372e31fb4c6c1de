import { lazy, startTransition, StrictMode, Suspense, use, useEffect, useState, type ComponentType } from 'react'
import { createRoot } from 'react-dom/client'
import { I18n } from './i18n/I18n'
import { startLanguage } from './i18n/language'
import { loadTexts } from './i18n/use-t'
import { placeOf, putPlace } from './nav/place'
import { isSignInPlace, signInPlace } from './nav/sign-in-place'
import { startTheme } from './session/domain-theme'
import { sessionNow } from './session/session'
import { startSession } from './session/start-session'
import { PageSpinner } from './shell/PageSpinner'

const FirstSignIn = lazy(() => import('./shell/sign-in/FirstSignIn'))

/** Loads the app with the pages of one panel. */
type LoadApp = () => Promise<{ default: ComponentType }>

/** Renders nothing, but suspends its siblings until the theme is applied. */
function Themed({ by }: { by: Promise<unknown> }) {
  use(by)
  return null
}

/**
 * At a sign-in URL, loads only the sign-in page, without router, cache or frame; the app is fetched while the user
 * types the password. At any other URL, known or not, the router takes over. Shows a spinner until the page is loaded
 * and `themed` has settled.
 */
function Start({ themed, loadApp }: { themed: Promise<unknown>; loadApp: LoadApp }) {
  const [App] = useState(() => lazy(loadApp))
  const [isIn, setIn] = useState(() => sessionNow().user !== null || !isSignInPlace(placeOf(location)))

  useEffect(() => {
    if (isIn) return
    putPlace(signInPlace(placeOf(location), sessionNow().domain))
    const timer = setTimeout(() => void loadApp().catch(() => {}), 1000)
    return () => clearTimeout(timer)
  }, [isIn, loadApp])

  return (
    <Suspense fallback={<PageSpinner />}>
      <Themed by={themed} />
      {isIn ? (
        <App />
      ) : (
        <FirstSignIn
          onDone={(to) => {
            putPlace(to)
            startTransition(() => setIn(true))
          }}
        />
      )}
    </Suspense>
  )
}

/** Starts the console for one panel. */
export async function startConsole(loadApp: LoadApp): Promise<void> {
  const themed = startTheme()
  await Promise.all([startLanguage().then(() => loadTexts('shell')), startSession()])

  const root = document.getElementById('root')
  if (root)
    createRoot(root).render(
      <StrictMode>
        <I18n>
          <Start themed={themed} loadApp={loadApp} />
        </I18n>
      </StrictMode>,
    )
}
