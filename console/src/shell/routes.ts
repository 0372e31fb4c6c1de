import { redirectRoute, route, type PageRoute, type Redirect } from '../nav/route'
import { computePath } from '../nav/landing'

const open = { needs: 'public', texts: 'shell', frame: 'bare' } as const

/** Pages of the shell itself. */
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
  route('no-service', () => import('./errors/NoServicePage'), {
    needs: 'signed-in',
    texts: 'shell',
    title: 'error.noService.title',
  }),
  route('void', () => import('./errors/VoidPage'), { ...open, title: 'page.loading' }),
  route('error', () => import('./errors/GenericErrorPage'), { ...open, title: 'error.generic.title' }),
  route('error403', () => import('./errors/ForbiddenPage'), { ...open, title: 'error.forbidden.title' }),
  route('error404', () => import('./errors/NotFoundPage'), { ...open, title: 'error.notFound.title' }),
  route('error500', () => import('./errors/ServerErrorPage'), { ...open, title: 'error.server.title' }),
  route('error503', () => import('./errors/UnavailablePage'), { ...open, title: 'error.unavailable.title' }),
  route('service-unavailable', () => import('./errors/ReconfigurationPage'), {
    ...open,
    title: 'error.reconfiguration.title',
  }),
  route('access-disabled', () => import('./errors/AccessDisabledPage'), {
    ...open,
    title: 'error.accessDisabled.title',
  }),
  route('error-service-disabled', () => import('./errors/ServiceDisabledPage'), {
    ...open,
    title: 'error.serviceDisabled.title',
  }),
]

export const shellRedirects: readonly Redirect[] = [redirectRoute('compute', computePath)]
