import type { Reply } from './cloud'

/* Errors in the format of each service. */

export const novaRefusal = (fault: string, code: number, message: string): Reply => ({
  status: code,
  body: { [fault]: { code, message } },
})
export const cinderRefusal = (status: number, fault: string, message: string): Reply => ({
  status,
  body: { [fault]: { code: status, message } },
})
export const neutronRefusal = (status: number, type: string, message: string): Reply => ({
  status,
  body: { NeutronError: { type, message, detail: '' } },
})
export const glanceRefusal = (status: number, title: string, message: string): Reply => ({
  status,
  body: { message: `${message}<br /><br />\n\n\n`, code: `${status} ${title}`, title },
})
export const keystoneRefusal = (status: number, title: string, message: string): Reply => ({
  status,
  body: { error: { code: status, message, title } },
})
