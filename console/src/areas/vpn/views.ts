/* VPN connection list and details pages, bundled into one chunk; the forms are in another. */
export { default as VpnListPage } from './VpnListPage'
export { default as VpnPage } from './details/VpnPage'
