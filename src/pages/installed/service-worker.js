/** The site's worker in a browser: messages of push services, and a page while the network is away. */
const KEPT = __KEPT__;
const CACHE = `rostrum-${KEPT.join()}`;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(KEPT))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  const old = caches.keys().then((names) => names.filter((name) => name !== CACHE));
  event.waitUntil(
    old
      .then((names) => Promise.all(names.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') {
    event.respondWith(fetch(event.request).catch(() => caches.match('/offline')));
    return;
  }
  const { pathname, origin } = new URL(event.request.url);
  if (origin === self.location.origin && KEPT.includes(pathname))
    event.respondWith(caches.match(pathname).then((kept) => kept ?? fetch(event.request)));
});

self.addEventListener('push', (event) => {
  const { kind, title, body, url } = event.data?.json() ?? {};
  if (!title) return;
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      icon: '/icon-192.png',
      tag: `${kind} ${url}`,
      data: { url },
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url } = event.notification.data ?? {};
  event.waitUntil(
    self.clients.matchAll({ type: 'window' }).then((open) => {
      const there = open.find((client) => client.url === url);
      return there ? there.focus() : self.clients.openWindow(url ?? '/account/board');
    }),
  );
});
