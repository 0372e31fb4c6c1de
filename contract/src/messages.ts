import { compute } from './compute/messages'
import { core } from './core/messages'
import { identity } from './identity/messages'
import { infrastructure } from './infrastructure/messages'
import { loadBalancing } from './load-balancing/messages'
import { monitoring } from './monitoring/messages'
import { networking } from './networking/messages'
import { objectStorage } from './object-storage/messages'
import { protection } from './protection/messages'
import { settings } from './settings/messages'
import { storage } from './storage/messages'
import { vpn } from './vpn/messages'

/**
 * English messages for all errors, by area, in the ICU message format. An entry is a text, or an `err_code` and a text;
 * the default code is `validation`. The key is area and name: `networking.cidr_overlaps`.
 */
export const messages = {
  compute,
  core,
  identity,
  infrastructure,
  loadBalancing,
  monitoring,
  networking,
  objectStorage,
  protection,
  settings,
  storage,
  vpn,
}
