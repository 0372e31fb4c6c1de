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

/** Loads the pages of a panel. */
type LoadApp = () => Promise<{ default: ComponentType }>

/** Nothing to see; nothing else is seen either until the theme is worn. */
function Themed({ by }: { by: Promise<unknown> }) {
  use(by)
  return null
}

/**
 * Whoever comes to sign in gets the sign-in page and nothing else: no router, no cache, no frame. They are fetched while
 * the password is being typed. At any other address the router decides, which also knows what there is no page for.
 * A spinner shows until the page is here and `themed` is over.
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

/** Begins the console of a panel in the page. */
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
