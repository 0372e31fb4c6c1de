import { redirectRoute, route, type PageRoute, type Redirect } from '../nav/route'
import { computePath } from '../nav/landing'

const open = { needs: 'public', texts: 'shell', frame: 'bare' } as const
const fault = { ...open, texts: 'errors' } as const
// signed-in users get the frame, so that they can continue from the menu
const framedFault = { ...fault, frame: 'signed-in' } as const

/** Routes of the shell itself. */
export const shellRoutes: readonly PageRoute[] = [
  route('login/{-$domainName}', () => import('./sign-in/SignInPage'), { ...open, title: 'signIn.title' }),
  route('login/$domainName/$idp', () => import('./sign-in/SignInPage'), { ...open, title: 'signIn.title' }),
  route('auth/success', () => import('./sign-in/HandOverSuccessPage'), { ...open, title: 'signIn.title' }),
  route('auth/failed', () => import('./sign-in/HandOverFailedPage'), { ...open, title: 'signIn.title' }),
  route('password-link', () => import('./sign-in/PasswordLinkPage'), {
    ...open,
    texts: 'account',
    title: 'link.title',
  }),
  route('iframe/sign-in', () => import('./iframe/IframeSignInPage'), {
    ...open,
    texts: 'iframe',
    title: 'signIn.title',
  }),
  route('no-service', () => import('./errors/NoServicePage'), {
    needs: 'signed-in',
    texts: 'errors',
    title: 'error.noService.title',
  }),
  route('void', () => import('./errors/VoidPage'), { ...open, title: 'page.loading' }),
  route('error', () => import('./errors/GenericErrorPage'), { ...framedFault, title: 'error.generic.title' }),
  route('error403', () => import('./errors/ForbiddenPage'), { ...framedFault, title: 'error.forbidden.title' }),
  route('error404', () => import('./errors/NotFoundPage'), { ...framedFault, title: 'error.notFound.title' }),
  route('error500', () => import('./errors/ServerErrorPage'), { ...framedFault, title: 'error.server.title' }),
  route('error503', () => import('./errors/UnavailablePage'), { ...fault, title: 'error.unavailable.title' }),
  route('service-unavailable', () => import('./errors/ReconfigurationPage'), {
    ...fault,
    title: 'error.reconfiguration.title',
  }),
  route('access-disabled', () => import('./errors/AccessDisabledPage'), {
    ...fault,
    title: 'error.accessDisabled.title',
  }),
  route('error-service-disabled', () => import('./errors/ServiceDisabledPage'), {
    ...fault,
    title: 'error.serviceDisabled.title',
  }),
]

export const shellRedirects: readonly Redirect[] = [redirectRoute('compute', computePath)]
