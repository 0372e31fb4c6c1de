import { session } from '@mainstay/contract/identity/session'
import { toMeta } from '@mainstay/contract/permissions'
import { serve } from '../../http/serve'
import { currentUser } from '../../session/current-user'

export const sessionRoutes = serve(session, {
  panel: ({ request }, { version }) => ({ panel: request.panel, version: version.build }),

  async login({ body, request }, { sessions }) {
    const { signedIn, token, device } = await sessions.signIn(body, request.origin)
    request.setSessionCookie(token, sessions.lifetime.sessionSeconds)
    if (device !== null) request.rememberDevice(device, sessions.lifetime.deviceSeconds)
    return currentUser(signedIn, signedIn.bound_project_id === null ? { token } : { scoped_token: token })
  },

  async logout({ request }, { sessions }) {
    const ended = request.token !== null && (await sessions.signOut(request.token))
    if (!ended) request.leaveUnrecorded()
    request.setSessionCookie(null, 0)
  },

  whoami: ({ caller, request }) =>
    currentUser(caller, caller.project && request.token !== null ? { scoped_token: request.token } : {}),

  async projects({ caller }, { identity }) {
    const only = caller.bound_project_id
    const projects = await identity.projectsOf(caller.user)
    return { data: only === null ? projects : projects.filter(({ id }) => id === only) }
  },

  anotherToken: async ({ caller }, { sessions }) => ({ token: await sessions.anotherToken(caller) }),

  enterProject: async ({ caller, params }, { sessions }) => ({ token: await sessions.enterProject(caller, params.id) }),

  changePassword: ({ caller, body, request }, { sessions }) => sessions.changePassword(caller, body, request.origin),

  meta: ({ caller }, { compute, computeMissing, version }) => ({
    permissions: toMeta(caller.grants),
    scope: {
      kind: caller.scope.kind,
      project_id: caller.scope.project_id,
      project_name: caller.project?.name ?? null,
      domain_id: caller.scope.domain_id,
    },
    services: {
      compute: {
        configured: computeMissing === null,
        advice: computeMissing?.advice ?? null,
        simulated: compute.about.simulated,
      },
      s3: { available: false },
    },
    version: version.build,
  }),

  about: (_, { version }) => ({ 'storage-release': { version: version.version, release: version.release } }),
})
